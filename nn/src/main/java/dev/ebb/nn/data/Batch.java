package dev.ebb.nn.data;

import dev.ebb.tensor.Tensor;

/**
 * Rows of data: inputs and what is to be made of them, a row each along the first axis.
 *
 * @param x inputs, [rows, ...]
 * @param y targets, [rows, ...]: numbers, or classes as integers
 */
public record Batch(Tensor x, Tensor y) {}
