/** Differentiation as a transformation from graph to graph. It knows no op by name. */
@NullMarked
package dev.ebb.grad;

import org.jspecify.annotations.NullMarked;
