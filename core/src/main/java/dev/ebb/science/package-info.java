/**
 * Functions of tensors for quantitative finance and science: distributions, interpolation,
 * transforms, sparse matrices, quadrature. Each states the arguments by which it can be
 * differentiated.
 */
@NullMarked
package dev.ebb.science;

import org.jspecify.annotations.NullMarked;
