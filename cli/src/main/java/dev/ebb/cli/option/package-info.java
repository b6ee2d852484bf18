/**
 * Options of the commands: budgets, disks, sizes of models, graphs in files, and the errors for
 * invalid ones.
 */
@NullMarked
package dev.ebb.cli.option;

import org.jspecify.annotations.NullMarked;
