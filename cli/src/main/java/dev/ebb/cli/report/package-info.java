/** Output of the commands: curves, plans, progress, and the figures of a finished run. */
@NullMarked
package dev.ebb.cli.report;

import org.jspecify.annotations.NullMarked;
