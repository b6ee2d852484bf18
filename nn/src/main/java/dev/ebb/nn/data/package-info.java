/** Datasets and batches: in memory, from tables, images and text. */
@NullMarked
package dev.ebb.nn.data;

import org.jspecify.annotations.NullMarked;
