/**
 * Loops generated as bytecode for one scalar expression, and the elementwise kernel that runs them.
 */
@NullMarked
package dev.ebb.cpu.code;

import org.jspecify.annotations.NullMarked;
