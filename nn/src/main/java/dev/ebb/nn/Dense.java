package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** A matrix applied to the last axis. Weights lie as [inputs, outputs]. */
public sealed interface Dense extends Fn<Tensor, Tensor> permits Linear, Projection {}
