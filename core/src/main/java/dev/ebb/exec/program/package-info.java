/** A whole program bound to a device's memory, and what is measured and checked while it runs. */
@NullMarked
package dev.ebb.exec.program;

import org.jspecify.annotations.NullMarked;
