/**
 * What a kernel is predicted to take: fixed prices, a roofline, and the time that loops wait for
 * states on a disk.
 */
@NullMarked
package dev.ebb.plan.cost;

import org.jspecify.annotations.NullMarked;
