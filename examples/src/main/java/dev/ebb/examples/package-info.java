/** Short example programs, each run by a test. */
@NullMarked
package dev.ebb.examples;

import org.jspecify.annotations.NullMarked;
