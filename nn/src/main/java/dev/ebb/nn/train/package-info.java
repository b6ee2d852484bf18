/** Training: the trainer, its losses and metrics, checkpoints and logs. */
@NullMarked
package dev.ebb.nn.train;

import org.jspecify.annotations.NullMarked;
