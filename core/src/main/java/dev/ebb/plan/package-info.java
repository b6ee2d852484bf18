/**
 * Plans: when each value is computed, freed and recomputed, and where it lies in memory. Plans are
 * data.
 */
@NullMarked
package dev.ebb.plan;

import org.jspecify.annotations.NullMarked;
