/**
 * Offloading: values and checkpoints of loops that are written to a file and read back while the
 * computation goes on.
 */
@NullMarked
package dev.ebb.exec.transfer;

import org.jspecify.annotations.NullMarked;
