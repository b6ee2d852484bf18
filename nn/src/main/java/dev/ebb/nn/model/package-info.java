/** Whole models, and their published names in files. */
@NullMarked
package dev.ebb.nn.model;

import org.jspecify.annotations.NullMarked;
