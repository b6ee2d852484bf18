/** Text to tokens and back, as {@code tokenizer.json} says. */
@NullMarked
package dev.ebb.nn.tokens;

import org.jspecify.annotations.NullMarked;
