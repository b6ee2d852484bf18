/**
 * The parts of a plan: the problem to be scheduled, the steps that compute, free and move values,
 * and where each buffer lies in the arena. Every schedule is checked in its constructor.
 */
@NullMarked
package dev.ebb.plan.schedule;

import org.jspecify.annotations.NullMarked;
