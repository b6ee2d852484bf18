/** Benchmarks of single kernels. */
@NullMarked
package dev.ebb.bench.kernel;

import org.jspecify.annotations.NullMarked;
