/**
 * The representation of programs: types, values, nodes, graphs, ops, and the few kernel forms to
 * which all ops are lowered.
 */
@NullMarked
package dev.ebb.ir;

import org.jspecify.annotations.NullMarked;
