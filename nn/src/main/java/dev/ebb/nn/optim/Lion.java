package dev.ebb.nn.optim;

import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * Lion (Chen et al., 2023): steps of fixed size in the direction of the sign of a mean gradient,
 * with one slot.
 */
public record Lion(LearningRateSchedule rate, double beta1, double beta2, double decay)
        implements Optimizer {

    public static Lion of(double rate) {
        return new Lion(LearningRateSchedule.constant(rate), 0.9, 0.99, 0.1);
    }

    @Override
    public int slots() {
        return 1;
    }

    @Override
    public UpdatedWeight move(Weight w, Tensor rate, Tensor step) {
        var mean = w.slots().getFirst();
        var way = mean.mul(beta1).add(w.gradient().mul(1 - beta1)).sign();
        var pull = Optimizer.decays(w.value()) ? way.add(w.value().mul(decay)) : way;
        var next = mean.mul(beta2).add(w.gradient().mul(1 - beta2));
        return new UpdatedWeight(w.value().sub(pull.mul(rate)), List.of(next));
    }
}
