/** What computes a node on a card, as data: launches, products by the library, their operands. */
@NullMarked
package dev.ebb.cuda.recipe;

import org.jspecify.annotations.NullMarked;
