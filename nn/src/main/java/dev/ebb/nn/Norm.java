package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** A normalisation of rows. */
public sealed interface Norm extends Fn<Tensor, Tensor> permits LayerNorm, RmsNorm, GroupNorm {}
