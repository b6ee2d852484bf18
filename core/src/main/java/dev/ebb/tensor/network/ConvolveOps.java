package dev.ebb.tensor.network;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;

/**
 * Convolutions and pooling over one to three spatial axes: tensors are [batch, channels, ...]. A
 * bias is an addition, see {@link #addChannels}.
 */
public interface ConvolveOps {

    private Tensor self() {
        return (Tensor) this;
    }

    private Tensor spatial(String op, int axes) {
        if (self().rank() != 2 + axes) {
            throw new ShapeException(
                    "%s needs [batch, channels] and %s spatial axes, this is %s"
                            .formatted(op, axes, self().type()));
        }
        return self();
    }

    /** Slides {@code weight}, [out channels, channels / groups, kernel...], over this tensor. */
    default Tensor conv(Tensor weight, Conv geometry) {
        return Convolution.forward(self(), weight, geometry);
    }

    default Tensor conv1d(Tensor weight, Conv geometry) {
        return spatial("conv1d", 1).conv(weight, geometry);
    }

    default Tensor conv2d(Tensor weight, Conv geometry) {
        return spatial("conv2d", 2).conv(weight, geometry);
    }

    default Tensor conv3d(Tensor weight, Conv geometry) {
        return spatial("conv3d", 3).conv(weight, geometry);
    }

    /**
     * The transpose of {@link #conv} as a linear map: {@code weight} is [channels, out channels /
     * groups, kernel...], a stride spreads the elements apart.
     */
    default Tensor convTranspose(Tensor weight, Conv geometry) {
        return Convolution.transposed(self(), weight, geometry);
    }

    default Tensor convTranspose1d(Tensor weight, Conv geometry) {
        return spatial("conv_transpose1d", 1).convTranspose(weight, geometry);
    }

    default Tensor convTranspose2d(Tensor weight, Conv geometry) {
        return spatial("conv_transpose2d", 2).convTranspose(weight, geometry);
    }

    default Tensor convTranspose3d(Tensor weight, Conv geometry) {
        return spatial("conv_transpose3d", 3).convTranspose(weight, geometry);
    }

    /** Adds one number to each channel (axis 1). */
    default Tensor addChannels(Tensor bias) {
        if (self().rank() < 2 || bias.rank() != 1 || bias.dim(0) != self().dim(1)) {
            throw new ShapeException(
                    "add_channels: %s does not hold one number for each channel, axis 1, of %s"
                            .formatted(bias.type(), self().type()));
        }
        int[] dims = new int[self().rank() - 1];
        Arrays.fill(dims, 1);
        dims[0] = bias.dim(0);
        return self().add(bias.reshape(dims));
    }

    /**
     * The largest element of each window; padding never is. Keeps one byte a window for the
     * derivative. Of equal elements the first counts; a NaN counts before all.
     */
    default Tensor maxPool(Pool windows) {
        return Pooling.max(self(), windows);
    }

    /** The mean of each window; padding counts as zeros. */
    default Tensor avgPool(Pool windows) {
        return Pooling.average(self(), windows);
    }

    /**
     * The mean over as many bins an axis as asked for, of nearly equal size: bin i of n spans
     * elements floor(i size / n) to ceil((i + 1) size / n).
     */
    default Tensor adaptiveAvgPool(int... bins) {
        return Pooling.adaptive(self(), Arrays.stream(bins).boxed().toList());
    }
}
