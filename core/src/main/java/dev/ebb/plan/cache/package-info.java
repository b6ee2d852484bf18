/** Results of searches that planning made before, kept in memory and in files. */
@NullMarked
package dev.ebb.plan.cache;

import org.jspecify.annotations.NullMarked;
