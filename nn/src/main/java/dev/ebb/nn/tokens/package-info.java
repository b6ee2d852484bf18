/** Tokenizers described by {@code tokenizer.json}. */
@NullMarked
package dev.ebb.nn.tokens;

import org.jspecify.annotations.NullMarked;
