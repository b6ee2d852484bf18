/**
 * What is computed when, freed when, computed again, and where it lies in memory. Plans are data.
 */
@NullMarked
package dev.ebb.plan;

import org.jspecify.annotations.NullMarked;
