/** Kernels that are timed one by one. */
@NullMarked
package dev.ebb.bench.kernel;

import org.jspecify.annotations.NullMarked;
