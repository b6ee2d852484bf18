/**
 * Optimizers, learning rate schedules, gradient clipping and mixed precision, as functions of
 * tensors.
 */
@NullMarked
package dev.ebb.nn.optim;

import org.jspecify.annotations.NullMarked;
