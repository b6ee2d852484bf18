/** Kernels that copy, pick, scatter and accumulate elements. */
@NullMarked
package dev.ebb.cpu.move;

import org.jspecify.annotations.NullMarked;
