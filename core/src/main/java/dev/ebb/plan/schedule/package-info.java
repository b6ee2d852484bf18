/**
 * What a plan is made of: the problem to be scheduled, the steps that compute, free and move
 * values, and where each buffer lies in the arena. Every schedule is checked when it is made.
 */
@NullMarked
package dev.ebb.plan.schedule;

import org.jspecify.annotations.NullMarked;
