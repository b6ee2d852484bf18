package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** Something that brings rows to a common scale. */
public sealed interface Norm extends Fn<Tensor, Tensor> permits LayerNorm, RmsNorm, GroupNorm {}
