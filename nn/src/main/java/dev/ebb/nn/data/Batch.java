package dev.ebb.nn.data;

import dev.ebb.tensor.Tensor;

/**
 * A batch of inputs and targets, one row each along the first axis.
 *
 * @param x inputs, [rows, ...]
 * @param y targets, [rows, ...]: numbers, or classes as integers
 */
public record Batch(Tensor x, Tensor y) {}
