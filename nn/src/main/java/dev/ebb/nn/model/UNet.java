package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Conv2d;
import dev.ebb.nn.ConvBlock;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A U-Net (Ronneberger et al., 2015): halves the image level by level and doubles it again, with a
 * skip connection at every level. Height and width must be multiples of two to the power of the
 * levels.
 */
public record UNet(List<ConvBlock> down, ConvBlock bottom, List<ConvBlock> up, Conv2d head)
        implements Fn<Tensor, Tensor> {

    /** {@code width} channels on the first level, twice as many on each next one. */
    public static UNet of(int inputs, int outputs, int width, int levels, Seed seed) {
        var down = new ArrayList<ConvBlock>();
        var up = new ArrayList<ConvBlock>();
        int channels = inputs;
        for (int i = 0; i < levels; i++) {
            down.add(ConvBlock.of(channels, width << i, seed.of("down").of(i)));
            channels = width << i;
        }
        for (int i = levels - 1; i >= 0; i--) {
            int below = width << (i + 1);
            up.add(ConvBlock.of(below + (width << i), width << i, seed.of("up").of(i)));
        }
        return new UNet(
                down,
                ConvBlock.of(channels, width << levels, seed.of("bottom")),
                up,
                Conv2d.same(width, outputs, 1, seed.of("head")));
    }

    @Override
    public Tensor apply(Tensor x) {
        var bridges = new ArrayDeque<Tensor>();
        var y = x;
        for (int i = 0; i < down.size(); i++) {
            var block = down.get(i);
            var in = y;
            var out = Ebb.region("down " + i, () -> block.apply(in));
            bridges.push(out);
            y = out.maxPool(Pool.of(2, 2));
        }
        var deepest = y;
        y = Ebb.region("bottom", () -> bottom.apply(deepest));
        for (int i = 0; i < up.size(); i++) {
            var block = up.get(i);
            var wide = Tensors.concat(List.of(doubled(y), bridges.pop()), 1);
            y = Ebb.region("up " + i, () -> block.apply(wide));
        }
        return head.apply(y);
    }

    /** Repeats every pixel four times. */
    private static Tensor doubled(Tensor x) {
        int height = x.dim(2);
        int width = x.dim(3);
        return x.reshape(x.dim(0), x.dim(1), height, 1, width, 1)
                .broadcastTo(Shape.of(x.dim(0), x.dim(1), height, 2, width, 2))
                .reshape(x.dim(0), x.dim(1), 2 * height, 2 * width);
    }
}
