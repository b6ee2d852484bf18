/** Arithmetic on floats at equal distances, where an addition can be undone exactly. */
@NullMarked
package dev.ebb.tensor.grid;

import org.jspecify.annotations.NullMarked;
