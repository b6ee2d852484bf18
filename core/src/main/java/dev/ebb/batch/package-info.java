/**
 * A function applied along an axis, as a transformation from graph to graph: one rule a kernel
 * form.
 */
@NullMarked
package dev.ebb.batch;

import org.jspecify.annotations.NullMarked;
