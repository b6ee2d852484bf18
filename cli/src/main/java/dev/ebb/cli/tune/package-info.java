/** Fine-tuning from the shell. */
@NullMarked
package dev.ebb.cli.tune;

import org.jspecify.annotations.NullMarked;
