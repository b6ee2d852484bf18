package dev.ebb.nn.parallel;

import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * What one rank carries from step to step: its parts of all weights, and the optimizer's state of
 * those parts.
 */
public record ShardedState(List<Tensor> weights, Optimizer.State<List<Tensor>> optimizer) {
    public ShardedState {
        weights = List.copyOf(weights);
    }
}
