/**
 * Scalar expressions evaluated a tile at a time: registers, loads, stores, casts, and one step for
 * each operation.
 */
@NullMarked
package dev.ebb.cpu.tile;

import org.jspecify.annotations.NullMarked;
