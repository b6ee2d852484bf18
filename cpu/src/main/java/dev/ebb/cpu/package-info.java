/** The Vector API device. */
@NullMarked
package dev.ebb.cpu;

import org.jspecify.annotations.NullMarked;
