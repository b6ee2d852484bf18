/**
 * The search for a schedule that fits a budget: a model of the problem in arrays, liveness,
 * eviction candidates, rematerialisation and the frontier of memory and time.
 */
@NullMarked
package dev.ebb.plan.search;

import org.jspecify.annotations.NullMarked;
