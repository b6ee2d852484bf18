package dev.ebb.nn.optim;

import dev.ebb.tensor.Tensor;

import java.util.List;

/** Stochastic gradient descent, with momentum unless it is zero. */
public record Sgd(LearningRateSchedule rate, double momentum) implements Optimizer {

    public static Sgd of(double rate) {
        return new Sgd(LearningRateSchedule.constant(rate), 0);
    }

    @Override
    public int slots() {
        return momentum == 0 ? 0 : 1;
    }

    @Override
    public UpdatedWeight move(Weight w, Tensor rate, Tensor step) {
        if (momentum == 0)
            return new UpdatedWeight(w.value().sub(w.gradient().mul(rate)), List.of());
        var speed = w.slots().getFirst().mul(momentum).add(w.gradient());
        return new UpdatedWeight(w.value().sub(speed.mul(rate)), List.of(speed));
    }
}
