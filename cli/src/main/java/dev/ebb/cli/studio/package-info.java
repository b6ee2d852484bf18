/**
 * The studio: a local web page for plans and training runs, with its server and the data that it
 * serves.
 */
@NullMarked
package dev.ebb.cli.studio;

import org.jspecify.annotations.NullMarked;
