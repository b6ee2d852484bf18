/** The {@code finetune} command: fine-tuning of published models. */
@NullMarked
package dev.ebb.cli.tune;

import org.jspecify.annotations.NullMarked;
