package dev.ebb.nn.train;

import dev.ebb.nn.optim.LossScale;
import dev.ebb.nn.optim.Optimizer;

import java.util.List;

/**
 * The state that training carries from step to step; a checkpoint contains it.
 *
 * @param statistics the network's state besides the model
 * @param scale the loss scale if f16 needs one; else empty
 */
public record TrainingState<M, S>(
        M model, Optimizer.State<M> optimizer, S statistics, List<LossScale> scale) {
    public TrainingState {
        scale = List.copyOf(scale);
    }
}
