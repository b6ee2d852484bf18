/** Scalar functions and random bits that are the same on every machine. */
@NullMarked
package dev.ebb.ir.math;

import org.jspecify.annotations.NullMarked;
