package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Conv;

/**
 * A convolution over [batch, channels, height, width]; the weight is [outputs, inputs / groups,
 * kernel, kernel].
 */
public record Conv2d(Tensor weight, Tensor bias, Conv geometry) implements Fn<Tensor, Tensor> {

    public static Conv2d of(int inputs, int outputs, int kernel, Conv geometry, Seed seed) {
        int each = inputs / geometry.groups();
        var shape = Shape.of(outputs, each, kernel, kernel);
        return new Conv2d(
                Init.heNormal(each * kernel * kernel).of(shape, seed.of("weight")),
                ConstantArrays.zeros(Shape.of(outputs)),
                geometry);
    }

    /** Stride one, padded so that height and width stay the same; for an odd kernel. */
    public static Conv2d same(int inputs, int outputs, int kernel, Seed seed) {
        return of(inputs, outputs, kernel, Conv.plain().padding(kernel / 2), seed);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.conv2d(weight, geometry).addChannels(bias);
    }
}
