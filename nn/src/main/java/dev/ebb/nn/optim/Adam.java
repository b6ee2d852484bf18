package dev.ebb.nn.optim;

import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * Adam (Kingma and Ba, 2015): the step is the mean gradient divided by the root of the mean square.
 */
public record Adam(LearningRateSchedule rate, double beta1, double beta2, double epsilon)
        implements Optimizer {

    public static Adam of(double rate) {
        return new Adam(LearningRateSchedule.constant(rate), 0.9, 0.999, 1e-8);
    }

    @Override
    public int slots() {
        return 2;
    }

    @Override
    public UpdatedWeight move(Weight w, Tensor rate, Tensor step) {
        var g = w.gradient();
        var mean = w.slots().get(0).mul(beta1).add(g.mul(1 - beta1));
        var square = w.slots().get(1).mul(beta2).add(g.square().mul(1 - beta2));
        var root = square.div(unbias(step, beta2)).sqrt().add(epsilon);
        var pace = rate.div(unbias(step, beta1));
        return new UpdatedWeight(w.value().sub(mean.mul(pace).div(root)), List.of(mean, square));
    }

    /** The bias correction of a mean that started at zero: {@code 1 - beta^step}. */
    private static Tensor unbias(Tensor step, double beta) {
        return step.mul(Math.log(beta)).expm1().neg();
    }
}
