/** CUDA C++ generated from kernel forms, and the launches that compute a node. */
@NullMarked
package dev.ebb.cuda.text;

import org.jspecify.annotations.NullMarked;
