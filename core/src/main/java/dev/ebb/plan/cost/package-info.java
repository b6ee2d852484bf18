/**
 * The predicted time of a kernel: fixed prices, a roofline, and the time that loops wait for
 * offloaded states.
 */
@NullMarked
package dev.ebb.plan.cost;

import org.jspecify.annotations.NullMarked;
