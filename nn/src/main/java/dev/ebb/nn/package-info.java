/** Layers: records of tensors and of what is fixed about them, on the public API alone. */
@NullMarked
package dev.ebb.nn;

import org.jspecify.annotations.NullMarked;
