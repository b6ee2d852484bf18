/**
 * Operations of general use: elementwise functions, comparisons, reductions, indexing, and moving
 * elements.
 */
@NullMarked
package dev.ebb.tensor.op;

import org.jspecify.annotations.NullMarked;
