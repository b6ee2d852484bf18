/**
 * The device interface: a device with its memory, cost and limits, the queue that runs its work,
 * and the report of a run.
 */
@NullMarked
package dev.ebb.exec;

import org.jspecify.annotations.NullMarked;
