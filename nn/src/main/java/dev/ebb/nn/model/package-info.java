/** Whole models, and the names of their tensors in published files. */
@NullMarked
package dev.ebb.nn.model;

import org.jspecify.annotations.NullMarked;
