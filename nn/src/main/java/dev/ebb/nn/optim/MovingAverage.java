package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;

/** An exponential moving average of parameters, often better than the parameters themselves. */
public record MovingAverage(double decay) {

    /**
     * The initial average: the first parameters; those of sixteen bits in f32, because sixteen bits
     * would round small changes away.
     */
    public <P> P start(P params) {
        return Tensorwise.map(params, p -> p.cast(p.dtype().compute()));
    }

    /** The average after {@code params}; the first {@code average} comes from {@link #start}. */
    public <P> P next(P average, P params) {
        return Tensorwise.map(
                average, params, (a, p) -> a.mul(decay).add(p.cast(a.dtype()).mul(1 - decay)));
    }
}
