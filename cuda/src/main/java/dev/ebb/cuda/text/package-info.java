/** CUDA C++ generated from kernel forms: makes the recipe of a node. */
@NullMarked
package dev.ebb.cuda.text;

import org.jspecify.annotations.NullMarked;
