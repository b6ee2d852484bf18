package dev.ebb.tensor.network;

import dev.ebb.tensor.Tensor;

/** A batch normalised by its own statistics, and the statistics, for a running average. */
public record Normalized(Tensor y, Tensor mean, Tensor variance) {}
