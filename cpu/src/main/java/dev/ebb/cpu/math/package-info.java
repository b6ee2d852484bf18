/** Elementary functions of floats, as vector and scalar versions with the same bits. */
@NullMarked
package dev.ebb.cpu.math;

import org.jspecify.annotations.NullMarked;
