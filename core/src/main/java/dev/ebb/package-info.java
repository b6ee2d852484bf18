/** The way in: functions to functions, functions to programs. */
@NullMarked
package dev.ebb;

import org.jspecify.annotations.NullMarked;
