/** What the commands show: curves, plans, progress and the outcome of a run. */
@NullMarked
package dev.ebb.cli.report;

import org.jspecify.annotations.NullMarked;
