/** What loops may keep in a budget: states, tapes, and what is inside their bodies. */
@NullMarked
package dev.ebb.loop;

import org.jspecify.annotations.NullMarked;
