package dev.ebb.cli.tune;

import dev.ebb.nn.adapt.LoraAdapters;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

/**
 * The state that fine-tuning carries from step to step: the frozen model, and the part that a
 * checkpoint contains.
 */
public record TuningState(AutoregressiveModel model, Kept kept) {

    /** The part of the state that changes. */
    public record Kept(LoraAdapters adapters, Optimizer.State<LoraAdapters> optimizer) {}

    /**
     * The input of a step.
     *
     * @param training one for a training step; zero for an evaluation, which is a step that changes
     *     nothing and so needs no memory of its own
     */
    public record Input(Tensor ids, Tensor targets, Tensor training) {}
}
