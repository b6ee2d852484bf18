package dev.ebb.nn.optim;

import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/** The learning rate as a function of the step number, computed inside the program. */
@FunctionalInterface
public interface LearningRateSchedule {

    /**
     * The rate for a step, a scalar that starts at zero: f32 for weights of up to 32 bits, f64 for
     * f64. The rate has the same type.
     */
    Tensor at(Tensor step);

    static LearningRateSchedule constant(double rate) {
        require(rate);
        return step -> step.literal(rate);
    }

    /** Linear from {@code first} to {@code last} in {@code steps} steps, then constant. */
    static LearningRateSchedule linear(double first, double last, long steps) {
        require(first);
        require(last);
        return step -> share(step, steps).mul(last - first).add(first);
    }

    /** Half a cosine from {@code peak} to {@code floor} in {@code steps} steps. */
    static LearningRateSchedule cosine(double peak, double floor, long steps) {
        require(peak);
        require(floor);
        return step ->
                share(step, steps).mul(Math.PI).cos().add(1).mul((peak - floor) / 2).add(floor);
    }

    /** {@code rate} multiplied by {@code factor} for every {@code steps} steps. */
    static LearningRateSchedule exponential(double rate, double factor, long steps) {
        require(rate);
        return step -> step.mul(Math.log(factor) / steps).exp().mul(rate);
    }

    /**
     * {@code rate} divided by the square root of the number of steps, as in the first transformers.
     */
    static LearningRateSchedule inverseRoot(double rate) {
        require(rate);
        return step -> step.add(1).sqrt().reciprocal().mul(rate);
    }

    /** This schedule with a linear warm-up over {@code steps} steps. */
    default LearningRateSchedule warmedUp(long steps) {
        if (steps <= 0) return this;
        return step -> {
            var first = step.literal((double) steps);
            var late = at(step.sub(first).maximum(0));
            var early = at(step.literal(0)).mul(step.add(1).div(first));
            return Tensors.where(step.lt(first), early, late);
        };
    }

    private static void require(double rate) {
        if (!(rate >= 0 && rate < Double.POSITIVE_INFINITY))
            throw new IllegalArgumentException(
                    "a learning rate of " + rate + "; it is a number from zero on");
    }

    private static Tensor share(Tensor step, long steps) {
        return step.div((double) Math.max(1, steps)).clamp(0, 1);
    }
}
