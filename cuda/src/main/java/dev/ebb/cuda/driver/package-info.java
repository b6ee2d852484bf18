/**
 * The CUDA libraries by way of the foreign function interface: the driver, the run-time compiler
 * and matrix products.
 */
@NullMarked
package dev.ebb.cuda.driver;

import org.jspecify.annotations.NullMarked;
