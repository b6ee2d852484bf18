/**
 * Programs that are recorded while they run: an arena of bounded size, eviction, and computing an
 * evicted value again when it is asked for.
 */
@NullMarked
package dev.ebb.exec.tape;

import org.jspecify.annotations.NullMarked;
