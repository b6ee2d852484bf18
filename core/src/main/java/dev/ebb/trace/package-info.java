/** Tracing of functions to graphs, and flattening of trees of tensors to lists and back. */
@NullMarked
package dev.ebb.trace;

import org.jspecify.annotations.NullMarked;
