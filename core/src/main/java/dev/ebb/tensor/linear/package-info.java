/** Linear algebra: products of matrices, factorisations, and solving systems. */
@NullMarked
package dev.ebb.tensor.linear;

import org.jspecify.annotations.NullMarked;
