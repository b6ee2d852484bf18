/** Maps over the same positions as a few loops that compute all of them. */
@NullMarked
package dev.ebb.cpu.group;

import org.jspecify.annotations.NullMarked;
