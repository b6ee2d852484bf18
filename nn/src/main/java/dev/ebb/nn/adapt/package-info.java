/** Fine-tuning: adapters of low rank, layers that stay as they are, weights of few bits. */
@NullMarked
package dev.ebb.nn.adapt;

import org.jspecify.annotations.NullMarked;
