package dev.ebb.nn.parallel;

import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** The state of one rank: its parts of all weights, and the optimizer's state for these parts. */
public record ShardedState(List<Tensor> weights, Optimizer.State<List<Tensor>> optimizer) {
    public ShardedState {
        weights = List.copyOf(weights);
    }
}
