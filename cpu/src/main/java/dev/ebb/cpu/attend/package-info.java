/** Attention and its gradient, without storing the matrix of scores. */
@NullMarked
package dev.ebb.cpu.attend;

import org.jspecify.annotations.NullMarked;
