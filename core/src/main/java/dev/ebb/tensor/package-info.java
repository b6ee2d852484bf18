/**
 * Tensors, the op families, and every built-in op: one record each, which defines the op
 * completely.
 */
@NullMarked
package dev.ebb.tensor;

import org.jspecify.annotations.NullMarked;
