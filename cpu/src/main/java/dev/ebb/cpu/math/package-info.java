/** Elementary functions of floats, in vectors and one by one, with the same bits. */
@NullMarked
package dev.ebb.cpu.math;

import org.jspecify.annotations.NullMarked;
