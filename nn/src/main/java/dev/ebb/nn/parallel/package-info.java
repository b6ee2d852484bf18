/**
 * Training on several ranks with the bits of one: shards, sums in the order of a fixed tree,
 * communication as ops.
 */
@NullMarked
package dev.ebb.nn.parallel;

import org.jspecify.annotations.NullMarked;
