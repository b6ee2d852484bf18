/**
 * What the commands read: budgets, disks, sizes of models, graphs from files, and the refusal of
 * what cannot be read.
 */
@NullMarked
package dev.ebb.cli.option;

import org.jspecify.annotations.NullMarked;
