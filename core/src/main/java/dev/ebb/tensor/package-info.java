/**
 * Tensors, the op families, and every built-in op: one record each, which is all there is to know
 * of it.
 */
@NullMarked
package dev.ebb.tensor;

import org.jspecify.annotations.NullMarked;
