package dev.ebb.cli.option;

import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;
import dev.ebb.nn.optim.Lion;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;

import java.util.Locale;

/** The optimizer, which determines how many tensors of state there are for each weight. */
public enum OptimizerName {
    /** Two moments per weight. */
    ADAMW,
    /** One mean gradient per weight. */
    LION,
    /** One momentum per weight. */
    MOMENTUM,
    /** No state besides the weights. */
    SGD;

    private static final double RATE = 1e-3;

    /** The optimizer with an arbitrary learning rate, which does not change a plan. */
    public Optimizer rule() {
        return switch (this) {
            case ADAMW -> AdamW.of(RATE);
            case LION -> Lion.of(RATE);
            case MOMENTUM -> new Sgd(LearningRateSchedule.constant(RATE), 0.9);
            case SGD -> Sgd.of(RATE);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
