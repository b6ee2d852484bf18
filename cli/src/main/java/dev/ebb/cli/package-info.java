/** The {@code ebb} command. */
@NullMarked
package dev.ebb.cli;

import org.jspecify.annotations.NullMarked;
