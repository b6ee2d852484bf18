/** Text generation, token by token, with a key-value cache within a budget. */
@NullMarked
package dev.ebb.nn.generate;

import org.jspecify.annotations.NullMarked;
