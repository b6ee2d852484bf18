/**
 * What networks are made of: activations, attention, convolution, pooling, normalisation and
 * losses.
 */
@NullMarked
package dev.ebb.tensor.network;

import org.jspecify.annotations.NullMarked;
