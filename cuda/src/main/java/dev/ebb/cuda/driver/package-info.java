/**
 * Bindings of the CUDA libraries through the Foreign Function API: the driver, the run-time
 * compiler and cuBLASLt.
 */
@NullMarked
package dev.ebb.cuda.driver;

import org.jspecify.annotations.NullMarked;
