/** The threads that share the parts of a kernel. */
@NullMarked
package dev.ebb.cpu.work;

import org.jspecify.annotations.NullMarked;
