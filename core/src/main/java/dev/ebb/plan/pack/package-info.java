/** Packing: offsets in one arena for buffers whose lifetimes are known. */
@NullMarked
package dev.ebb.plan.pack;

import org.jspecify.annotations.NullMarked;
