/** Data as rows, and batches of them: in memory, from tables, pictures and text. */
@NullMarked
package dev.ebb.nn.data;

import org.jspecify.annotations.NullMarked;
