/** The whole user API: functions in, functions out. */
@NullMarked
package dev.ebb;

import org.jspecify.annotations.NullMarked;
