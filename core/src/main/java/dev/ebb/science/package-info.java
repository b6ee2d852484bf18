/**
 * What quants and scientists reach for, as functions of tensors: distributions, interpolation,
 * transforms, sparse matrices, quadrature. Each says what it is differentiated by.
 */
@NullMarked
package dev.ebb.science;

import org.jspecify.annotations.NullMarked;
