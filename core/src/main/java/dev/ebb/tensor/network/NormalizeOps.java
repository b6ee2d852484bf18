package dev.ebb.tensor.network;

import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Softmax and normalisations. Each result is an elementwise function of x and of statistics of its
 * rows, so that nothing but x and the statistics is worth keeping for the derivative. Statistics of
 * sixteen-bit floats are taken in f32.
 */
public interface NormalizeOps {

    private Tensor self() {
        return (Tensor) this;
    }

    /** Exponentials along an axis, scaled to sum to one. */
    default Tensor softmax(int axis) {
        if (self().dim(axis) == 0) return self();
        return rows(axis).softmax().cast(self().dtype());
    }

    /** The log of {@link #softmax}, without its cancellation. */
    default Tensor logSoftmax(int axis) {
        if (self().dim(axis) == 0) return self();
        return rows(axis).logSoftmax().cast(self().dtype());
    }

    private Softmax.Rows rows(int axis) {
        var wide = self().cast(Moments.wide(self()));
        return Softmax.Rows.of(wide, List.of(self().shape().axis(axis)));
    }

    /**
     * Rows brought to mean zero and variance one over the last axes, as many as {@code weight} has,
     * then scaled and shifted elementwise.
     */
    default Tensor layerNorm(Tensor weight, Tensor bias, double epsilon) {
        var axes = tail("layer_norm", weight);
        return Moments.of(self(), axes).normalized(self(), epsilon).mul(weight).add(bias);
    }

    /** Rows divided by their root mean square over the last axes, as many as {@code weight} has. */
    default Tensor rmsNorm(Tensor weight, double epsilon) {
        var axes = tail("rms_norm", weight);
        var wide = self().cast(Moments.wide(self()));
        var scale = Moments.reciprocalRoot(wide.square().mean(axes, true), epsilon);
        return wide.mul(scale).cast(self().dtype()).mul(weight);
    }

    /**
     * Channels (axis 1) in {@code groups} equal groups, each brought to mean zero and variance one
     * over its channels and all further axes, then scaled and shifted channel by channel.
     */
    default Tensor groupNorm(int groups, Tensor weight, Tensor bias, double epsilon) {
        var x = self();
        int channels = channels("group_norm", weight, bias);
        if (groups < 1 || channels % groups != 0) {
            throw new ShapeException(
                    "group_norm: the %s channels of %s do not divide into %s groups"
                            .formatted(channels, x.type(), groups));
        }
        int each = Math.toIntExact(x.shape().reduce(List.of(0), false).size() / groups);
        var grouped = x.reshape(x.dim(0), groups, each);
        var y = Moments.of(grouped, List.of(2)).normalized(grouped, epsilon).reshape(x.shape());
        return y.mul(perChannel(weight)).add(perChannel(bias));
    }

    /**
     * Channels (axis 1) brought to mean zero and variance one over the batch and all further axes,
     * then scaled and shifted. The statistics come back beside the result: a running average of
     * them is a value like any other, so no replay can apply it twice. The variance is the mean
     * square, not corrected for the sample's size.
     */
    default Normalized batchNorm(Tensor weight, Tensor bias, double epsilon) {
        int channels = channels("batch_norm", weight, bias);
        var axes = IntStream.range(0, self().rank()).filter(a -> a != 1).boxed().toList();
        var moments = Moments.of(self(), axes);
        var y = Standardize.of(self(), moments, epsilon, perChannel(weight), perChannel(bias));
        return new Normalized(
                y, moments.mean().reshape(channels), moments.variance().reshape(channels));
    }

    /** Batch normalisation by given statistics, as a trained network uses it. */
    default Tensor batchNorm(
            Tensor weight, Tensor bias, Tensor mean, Tensor variance, double epsilon) {
        channels("batch_norm", weight, bias);
        var moments = new Moments(perChannel(mean), perChannel(variance));
        return moments.normalized(self(), epsilon).mul(perChannel(weight)).add(perChannel(bias));
    }

    private List<Integer> tail(String op, Tensor weight) {
        var x = self();
        int lead = x.rank() - weight.rank();
        if (lead < 0
                || weight.rank() == 0
                || !x.shape().dims().subList(lead, x.rank()).equals(weight.shape().dims())) {
            throw new ShapeException(
                    ("%s: the weight %s is not of the shape of the last axes of %s, over which it"
                                    + " normalises")
                            .formatted(op, weight.type(), x.type()));
        }
        return IntStream.range(lead, x.rank()).boxed().toList();
    }

    private int channels(String op, Tensor weight, Tensor bias) {
        var x = self();
        if (x.rank() < 2) {
            throw new ShapeException(
                    op + " needs [batch, channels, ...], this is " + x.type() + "; reshape it");
        }
        var expected = Shape.of(x.dim(1));
        if (!weight.shape().equals(expected) || !bias.shape().equals(expected)) {
            throw new ShapeException(
                    ("%s of %s: weight and bias must have shape %s, one number a channel; they are"
                                    + " %s and %s")
                            .formatted(op, x.type(), expected, weight.type(), bias.type()));
        }
        return x.dim(1);
    }

    private Tensor perChannel(Tensor c) {
        var shape = new Shape(Collections.nCopies(self().rank(), 1));
        return c.reshape(shape.with(1, Math.toIntExact(c.shape().size())));
    }
}
