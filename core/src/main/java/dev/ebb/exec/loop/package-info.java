/**
 * Schedules bound to memory, and the kernels made of graphs: loops forwards, loops in reverse, and
 * branches.
 */
@NullMarked
package dev.ebb.exec.loop;

import org.jspecify.annotations.NullMarked;
