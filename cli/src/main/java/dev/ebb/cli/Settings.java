package dev.ebb.cli;

import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;

/**
 * What makes two runs the same run: with these and the text, every bit of the result is decided.
 *
 * @param horizon the steps over which the learning rate falls
 */
record Settings(int batch, int context, long seed, long horizon, double rate) {
    /**
     * The steps of a run that names no number of them: what is planned without a run has as many.
     */
    static final long STEPS = 1000;

    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.95;
    private static final double DECAY = 0.1;

    /** AdamW, warmed up over a tenth of the steps at most, then falling to a tenth. */
    AdamW optimizer() {
        long warmUp = Math.min(20, horizon / 10);
        var rates = LearningRateSchedule.cosine(rate, rate / 10, horizon - warmUp).warmedUp(warmUp);
        return new AdamW(new Adam(rates, BETA1, BETA2, 1e-8), DECAY);
    }
}
