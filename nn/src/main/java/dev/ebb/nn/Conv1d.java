package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Conv;

/**
 * A convolution over [batch, channels, length]; the weight is [outputs, inputs / groups, kernel].
 */
public record Conv1d(Tensor weight, Tensor bias, Conv geometry) implements Fn<Tensor, Tensor> {

    public static Conv1d of(int inputs, int outputs, int kernel, Conv geometry, Seed seed) {
        int each = inputs / geometry.groups();
        return new Conv1d(
                Init.linear(each * kernel).of(Shape.of(outputs, each, kernel), seed.of("weight")),
                ConstantArrays.zeros(Shape.of(outputs)),
                geometry);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.conv1d(weight, geometry).addChannels(bias);
    }
}
