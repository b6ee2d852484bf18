/**
 * Solvers of equations, of problems of least values and of differential equations, as functions
 * that can be differentiated in bounded memory.
 */
@NullMarked
package dev.ebb.solve;

import org.jspecify.annotations.NullMarked;
