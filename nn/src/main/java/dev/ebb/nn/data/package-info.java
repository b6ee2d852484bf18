/** Text as numbers, and batches of it. */
@NullMarked
package dev.ebb.nn.data;

import org.jspecify.annotations.NullMarked;
