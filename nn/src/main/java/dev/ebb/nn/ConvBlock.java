package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** Two normalised 3x3 convolutions: the block of a U-Net. */
public record ConvBlock(Conv2d conv1, GroupNorm norm1, Conv2d conv2, GroupNorm norm2)
        implements Fn<Tensor, Tensor> {

    /** Norms over groups of at most eight channels. */
    public static ConvBlock of(int inputs, int outputs, Seed seed) {
        int groups = outputs % 8 == 0 ? outputs / 8 : 1;
        return new ConvBlock(
                Conv2d.same(inputs, outputs, 3, seed.of("conv1")),
                GroupNorm.of(outputs, groups, 1e-5),
                Conv2d.same(outputs, outputs, 3, seed.of("conv2")),
                GroupNorm.of(outputs, groups, 1e-5));
    }

    @Override
    public Tensor apply(Tensor x) {
        var y = norm1.apply(conv1.apply(x)).relu();
        return norm2.apply(conv2.apply(y)).relu();
    }
}
