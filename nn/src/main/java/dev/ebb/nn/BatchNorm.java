package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/**
 * Batch norm: channels (axis 1) normalised to mean zero and variance one over the batch, then
 * scaled and shifted. The running statistics are a value that is passed in and returned, never a
 * mutable field: recomputation cannot apply an update of them twice.
 *
 * @param momentum the share of a batch's statistics in the next running ones
 */
public record BatchNorm(Tensor weight, Tensor bias, double epsilon, double momentum) {

    /** The running mean and variance, one number per channel. */
    public record Statistics(Tensor mean, Tensor variance) {
        public static Statistics of(int channels) {
            return new Statistics(
                    ConstantArrays.zeros(Shape.of(channels)),
                    ConstantArrays.ones(Shape.of(channels)));
        }
    }

    /** A layer's output and the updated statistics. */
    public record Output(Tensor out, Statistics next) {}

    public static BatchNorm of(int channels) {
        var shape = Shape.of(channels);
        return new BatchNorm(ConstantArrays.ones(shape), ConstantArrays.zeros(shape), 1e-5, 0.1);
    }

    /** For training: normalises by the batch's own statistics and updates the running ones. */
    public Output train(Tensor x, Statistics running) {
        var batch = x.batchNorm(weight, bias, epsilon);
        double n = (double) x.shape().size() / x.dim(1);
        var variance = batch.variance().detach().mul(n > 1 ? n / (n - 1) : 1);
        return new Output(
                batch.y(),
                new Statistics(
                        moved(running.mean, batch.mean().detach()),
                        moved(running.variance, variance)));
    }

    private Tensor moved(Tensor running, Tensor batch) {
        var wide = batch.cast(running.dtype());
        return running.mul(1 - momentum).add(wide.mul(momentum));
    }

    /** For inference: normalises by the running statistics. */
    public Tensor apply(Tensor x, Statistics running) {
        return x.batchNorm(weight, bias, running.mean, running.variance, epsilon);
    }
}
