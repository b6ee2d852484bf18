/**
 * What a program is: types, values, nodes, graphs, ops, and the few kernel forms all ops lower to.
 */
@NullMarked
package dev.ebb.ir;

import org.jspecify.annotations.NullMarked;
