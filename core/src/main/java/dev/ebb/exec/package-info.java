/**
 * Running a laid-out schedule: the device interface, the program, its report, and the Reference
 * device.
 */
@NullMarked
package dev.ebb.exec;

import org.jspecify.annotations.NullMarked;
