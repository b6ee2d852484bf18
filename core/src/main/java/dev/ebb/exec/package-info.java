/**
 * The device interface, and what running a laid-out schedule needs: the queue, errors and the
 * report.
 */
@NullMarked
package dev.ebb.exec;

import org.jspecify.annotations.NullMarked;
