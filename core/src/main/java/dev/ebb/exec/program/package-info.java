/** A whole program bound to a device's memory, with the measurements and checks while it runs. */
@NullMarked
package dev.ebb.exec.program;

import org.jspecify.annotations.NullMarked;
