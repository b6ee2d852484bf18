/** Attention without its matrix of scores, forwards and backwards. */
@NullMarked
package dev.ebb.cpu.attend;

import org.jspecify.annotations.NullMarked;
