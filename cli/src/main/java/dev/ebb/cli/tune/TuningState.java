package dev.ebb.cli.tune;

import dev.ebb.nn.adapt.LoraAdapters;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

/**
 * All that fine-tuning carries from step to step: the model, which stays as it is, and what is kept
 * in a checkpoint.
 */
public record TuningState(AutoregressiveModel model, Kept kept) {

    /** What changes. */
    public record Kept(LoraAdapters adapters, Optimizer.State<LoraAdapters> optimizer) {}

    /**
     * What a step is fed.
     *
     * @param training one, or zero to leave everything as it is: an evaluation is a step that
     *     changes nothing, so that it takes no memory of its own
     */
    public record Input(Tensor ids, Tensor targets, Tensor training) {}
}
