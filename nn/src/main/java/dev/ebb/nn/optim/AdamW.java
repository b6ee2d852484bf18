package dev.ebb.nn.optim;

import dev.ebb.tensor.Tensor;

/** AdamW (Loshchilov and Hutter, 2019): {@link Adam} with decoupled weight decay. */
public record AdamW(Adam adam, double decay) implements Optimizer {

    public static AdamW of(double rate) {
        return new AdamW(Adam.of(rate), 0.01);
    }

    @Override
    public int slots() {
        return adam.slots();
    }

    @Override
    public LearningRateSchedule rate() {
        return adam.rate();
    }

    @Override
    public UpdatedWeight move(Weight w, Tensor rate, Tensor step) {
        if (!Optimizer.decays(w.value())) return adam.move(w, rate, step);
        var shrunk = w.value().sub(w.value().mul(rate.mul(decay)));
        return adam.move(new Weight(shrunk, w.gradient(), w.slots()), rate, step);
    }
}
