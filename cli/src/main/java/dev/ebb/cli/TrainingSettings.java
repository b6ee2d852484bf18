package dev.ebb.cli;

import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;

/**
 * The settings that, together with the text, determine every bit of a run's result.
 *
 * @param horizon the steps over which the learning rate decays
 */
record TrainingSettings(int batch, int context, long seed, long horizon, double rate) {
    /** The default number of steps, which is also used if only a plan is made. */
    static final long STEPS = 1000;

    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.95;
    private static final double DECAY = 0.1;

    /**
     * AdamW with a linear warm-up over at most a tenth of the steps, then decaying to a tenth of
     * the rate.
     */
    AdamW optimizer() {
        long warmUp = Math.min(20, horizon / 10);
        var rates = LearningRateSchedule.cosine(rate, rate / 10, horizon - warmUp).warmedUp(warmUp);
        return new AdamW(new Adam(rates, BETA1, BETA2, 1e-8), DECAY);
    }
}
