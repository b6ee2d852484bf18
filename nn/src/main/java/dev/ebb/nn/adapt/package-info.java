/** Fine-tuning: low-rank adapters, frozen layers, quantised weights. */
@NullMarked
package dev.ebb.nn.adapt;

import org.jspecify.annotations.NullMarked;
