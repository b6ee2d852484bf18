/** Planning of programs with loops: states, tapes, and the bodies of loops within a budget. */
@NullMarked
package dev.ebb.loop;

import org.jspecify.annotations.NullMarked;
