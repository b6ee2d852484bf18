/** Benchmarks of Ebb, and comparisons with other libraries. */
@NullMarked
package dev.ebb.bench;

import org.jspecify.annotations.NullMarked;
