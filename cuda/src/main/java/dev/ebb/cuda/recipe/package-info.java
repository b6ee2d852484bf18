/**
 * Recipes: how a node is computed on a GPU, as data: kernel launches, library products and their
 * operands.
 */
@NullMarked
package dev.ebb.cuda.recipe;

import org.jspecify.annotations.NullMarked;
