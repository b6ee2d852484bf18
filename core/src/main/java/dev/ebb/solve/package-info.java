/** Solvers of differential equations, as loops that can be differentiated in bounded memory. */
@NullMarked
package dev.ebb.solve;

import org.jspecify.annotations.NullMarked;
