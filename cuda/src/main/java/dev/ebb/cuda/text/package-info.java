/** Generates CUDA C++ and the recipe of a node from its kernel form. */
@NullMarked
package dev.ebb.cuda.text;

import org.jspecify.annotations.NullMarked;
