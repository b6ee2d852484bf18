package dev.ebb.cli.option;

import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;
import dev.ebb.nn.optim.Lion;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;

import java.util.Locale;

/** The rule by which weights are moved: it decides how many tensors are kept beside each. */
public enum OptimizerName {
    /** Two moments beside each weight. */
    ADAMW,
    /** One mean gradient beside each weight. */
    LION,
    /** One speed beside each weight. */
    MOMENTUM,
    /** Nothing beside the weights. */
    SGD;

    private static final double RATE = 1e-3;

    /** The rule with a rate that does not matter for a plan. */
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
