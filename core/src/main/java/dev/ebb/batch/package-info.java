/**
 * Vectorization along an axis (vmap) as a transformation from graph to graph, with one rule per
 * kernel form.
 */
@NullMarked
package dev.ebb.batch;

import org.jspecify.annotations.NullMarked;
