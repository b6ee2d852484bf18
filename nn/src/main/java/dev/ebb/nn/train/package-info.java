/** Training: gradients of batches in parts, the trainer, metrics and logs. */
@NullMarked
package dev.ebb.nn.train;

import org.jspecify.annotations.NullMarked;
