/** A local web page for plans and runs: its server, what it may be asked, and what it answers. */
@NullMarked
package dev.ebb.cli.studio;

import org.jspecify.annotations.NullMarked;
