/** A device that times its kernels one by one. */
@NullMarked
package dev.ebb.bench.kernel;

import org.jspecify.annotations.NullMarked;
