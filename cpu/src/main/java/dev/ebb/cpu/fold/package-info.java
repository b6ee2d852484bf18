/**
 * Reductions of rows and columns, and kernels that combine a reduction of a row with its elements.
 * The order of additions depends on shapes alone.
 */
@NullMarked
package dev.ebb.cpu.fold;

import org.jspecify.annotations.NullMarked;
