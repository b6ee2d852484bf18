package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;

/** An exponential moving average of parameters, often better than the parameters themselves. */
public record MovingAverage(double decay) {

    /** The average after {@code params}. Start with the first parameters themselves. */
    public <P> P next(P average, P params) {
        return Tensorwise.map(average, params, (a, p) -> a.mul(decay).add(p.mul(1 - decay)));
    }
}
