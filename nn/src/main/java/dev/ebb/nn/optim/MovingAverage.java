package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;

/** An exponential moving average of parameters, often better than the parameters themselves. */
public record MovingAverage(double decay) {

    /**
     * What an average begins with: the first parameters, those of sixteen bits in f32, as their own
     * type would round small changes away.
     */
    public <P> P start(P params) {
        return Tensorwise.map(params, p -> p.cast(p.dtype().compute()));
    }

    /** The average after {@code params}, which began with {@link #start}. */
    public <P> P next(P average, P params) {
        return Tensorwise.map(
                average, params, (a, p) -> a.mul(decay).add(p.cast(a.dtype()).mul(1 - decay)));
    }
}
