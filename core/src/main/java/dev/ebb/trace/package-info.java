/** From functions to graphs, and from trees of tensors to flat lists and back. */
@NullMarked
package dev.ebb.trace;

import org.jspecify.annotations.NullMarked;
