/**
 * Checkpointing of loops: which states of a loop are saved so that it can be reversed in bounded
 * memory.
 */
@NullMarked
package dev.ebb.plan.loop;

import org.jspecify.annotations.NullMarked;
