/** Text from a language model, token by token, with a cache of keys and values in a budget. */
@NullMarked
package dev.ebb.nn.generate;

import org.jspecify.annotations.NullMarked;
