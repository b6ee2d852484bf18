/**
 * The parts of neural networks: activations, attention, convolution, pooling, normalisation and
 * losses.
 */
@NullMarked
package dev.ebb.tensor.network;

import org.jspecify.annotations.NullMarked;
