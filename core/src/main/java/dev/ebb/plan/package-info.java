/**
 * Plans: when each value is computed, freed and recomputed, and its place in memory. Plans are
 * data.
 */
@NullMarked
package dev.ebb.plan;

import org.jspecify.annotations.NullMarked;
