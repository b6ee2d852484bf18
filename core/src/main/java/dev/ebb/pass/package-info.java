/** Rewrites from graph to graph that preserve every bit. */
@NullMarked
package dev.ebb.pass;

import org.jspecify.annotations.NullMarked;
