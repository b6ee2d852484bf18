/** Layers, losses, optimizers and data, on the public API alone. */
@NullMarked
package dev.ebb.nn;

import org.jspecify.annotations.NullMarked;
