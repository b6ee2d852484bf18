/** The commands of {@code ebb}, the command line program. */
@NullMarked
package dev.ebb.cli;

import org.jspecify.annotations.NullMarked;
