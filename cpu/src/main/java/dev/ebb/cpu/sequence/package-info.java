/**
 * Compiles small programs to straight-line bytecode, without loops and with values in local
 * variables, and larger ones to merged loops.
 */
@NullMarked
package dev.ebb.cpu.sequence;

import org.jspecify.annotations.NullMarked;
