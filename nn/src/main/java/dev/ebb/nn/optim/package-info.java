/** Optimizers, schedules and what goes with them, as functions of tensors. */
@NullMarked
package dev.ebb.nn.optim;

import org.jspecify.annotations.NullMarked;
