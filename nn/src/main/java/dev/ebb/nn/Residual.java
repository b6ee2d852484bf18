package dev.ebb.nn;

import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Conv;

import java.util.List;
import java.util.Optional;

/**
 * A residual block of two 3x3 convolutions with batch norms (He et al., 2015).
 *
 * @param shortcut a 1x1 convolution if the block changes channels or size
 */
public record Residual(
        Conv2d conv1, BatchNorm norm1, Conv2d conv2, BatchNorm norm2, Optional<Conv2d> shortcut) {

    /** The block's output and the updated statistics of its two norms. */
    public record Output(Tensor out, List<BatchNorm.Statistics> next) {}

    public static Residual of(int inputs, int outputs, int stride, Seed seed) {
        boolean same = inputs == outputs && stride == 1;
        var down = Conv.plain().stride(stride);
        return new Residual(
                Conv2d.of(inputs, outputs, 3, down.padding(1), seed.of("conv1")),
                BatchNorm.of(outputs),
                Conv2d.same(outputs, outputs, 3, seed.of("conv2")),
                BatchNorm.of(outputs),
                same
                        ? Optional.empty()
                        : Optional.of(Conv2d.of(inputs, outputs, 1, down, seed.of("shortcut"))));
    }

    /** The initial statistics of the two norms. */
    public List<BatchNorm.Statistics> statistics() {
        int channels = norm1.weight().dim(0);
        return List.of(BatchNorm.Statistics.of(channels), BatchNorm.Statistics.of(channels));
    }

    public Output train(Tensor x, List<BatchNorm.Statistics> running) {
        var first = norm1.train(conv1.apply(x), running.get(0));
        var second = norm2.train(conv2.apply(first.out().relu()), running.get(1));
        return new Output(around(x).add(second.out()).relu(), List.of(first.next(), second.next()));
    }

    public Tensor apply(Tensor x, List<BatchNorm.Statistics> running) {
        var first = norm1.apply(conv1.apply(x), running.get(0)).relu();
        return around(x).add(norm2.apply(conv2.apply(first), running.get(1))).relu();
    }

    private Tensor around(Tensor x) {
        return shortcut.map(s -> s.apply(x)).orElse(x);
    }
}
