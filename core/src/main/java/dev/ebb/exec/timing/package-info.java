/** Costs measured on the device at hand instead of predicted. */
@NullMarked
package dev.ebb.exec.timing;

import org.jspecify.annotations.NullMarked;
