package dev.ebb.nn.train;

import dev.ebb.nn.optim.LossScale;
import dev.ebb.nn.optim.Optimizer;

import java.util.List;

/**
 * All that training carries from step to step, and a checkpoint holds.
 *
 * @param statistics what the network carries from batch to batch besides
 * @param scale the factor of the loss where computing in f16 needs one; else nothing
 */
public record TrainingState<M, S>(
        M model, Optimizer.State<M> optimizer, S statistics, List<LossScale> scale) {
    public TrainingState {
        scale = List.copyOf(scale);
    }
}
