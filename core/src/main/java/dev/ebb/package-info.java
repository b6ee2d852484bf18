/** The user API: derivatives and batching of functions, and their compilation to programs. */
@NullMarked
package dev.ebb;

import org.jspecify.annotations.NullMarked;
