/** Layers: records of tensors and settings, written with the public API alone. */
@NullMarked
package dev.ebb.nn;

import org.jspecify.annotations.NullMarked;
