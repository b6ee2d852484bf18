/** Loops and branches as ops of a graph, with their derivatives. */
@NullMarked
package dev.ebb.control;

import org.jspecify.annotations.NullMarked;
