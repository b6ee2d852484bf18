/** Benchmarks, peers side by side. */
@NullMarked
package dev.ebb.bench;

import org.jspecify.annotations.NullMarked;
