package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A residual network as published (He et al., 2015): ResNet-18 to 152. Its norms use the published
 * statistics, in inference and in fine-tuning; freeze these for fine-tuning ({@code
 * Freezing.training(model, name -> !name.contains("running"))}).
 */
public record ResidualNetwork(Unit stem, List<List<Part>> stages, Linear head) {

    /** A convolution without bias, and a norm by running statistics. */
    public record Unit(
            Tensor kernel,
            Tensor weight,
            Tensor bias,
            Tensor runningMean,
            Tensor runningVariance,
            Conv geometry) {
        Tensor apply(Tensor x) {
            return x.conv2d(kernel, geometry)
                    .batchNorm(weight, bias, runningMean, runningVariance, 1e-5);
        }

        static Unit blank(int inputs, int outputs, int size, int stride, Init zeros) {
            var channels = Shape.of(outputs);
            return new Unit(
                    zeros.of(Shape.of(outputs, inputs, size, size), BlankModel.ANY),
                    Init.ones().of(channels, BlankModel.ANY),
                    Init.zeros().of(channels, BlankModel.ANY),
                    Init.zeros().of(channels, BlankModel.ANY),
                    Init.ones().of(channels, BlankModel.ANY),
                    Conv.plain().stride(stride).padding(size / 2));
        }
    }

    /**
     * A block: two units of size 3, or three of sizes 1, 3 and 1.
     *
     * @param shortcut applied to the input if the block changes its shape
     */
    public record Part(List<Unit> units, Optional<Unit> shortcut) {
        Tensor apply(Tensor x) {
            var y = x;
            for (int i = 0; i < units.size(); i++) {
                y = units.get(i).apply(y);
                if (i + 1 < units.size()) y = y.relu();
            }
            return shortcut.map(s -> s.apply(x)).orElse(x).add(y).relu();
        }
    }

    /** Scores [batch, classes] of images [batch, 3, height, width]. */
    public Tensor scores(Tensor pictures) {
        var x = stem.apply(pictures).relu().maxPool(Pool.of(3, 3).stride(2, 2).padding(1, 1));
        for (int i = 0; i < stages.size(); i++) {
            for (int j = 0; j < stages.get(i).size(); j++) {
                var part = stages.get(i).get(j);
                var in = x;
                x = Ebb.region("stage " + i + " block " + j, () -> part.apply(in));
            }
        }
        return head.apply(x.mean(List.of(2, 3), false));
    }

    /**
     * A network with zeros for kernels.
     *
     * @param inputs channels of an image
     * @param widths the channels inside the blocks of each stage
     * @param depths the number of blocks of each stage
     * @param deep whether blocks have three units, and outputs four times as wide
     */
    static ResidualNetwork blank(
            int inputs,
            int stem,
            List<Integer> widths,
            List<Integer> depths,
            boolean deep,
            int classes) {
        return BlankModel.of(
                zeros -> {
                    var stages = new ArrayList<List<Part>>();
                    int channels = stem;
                    for (int s = 0; s < widths.size(); s++) {
                        var parts = new ArrayList<Part>();
                        for (int b = 0; b < depths.get(s); b++) {
                            int stride = s > 0 && b == 0 ? 2 : 1;
                            parts.add(part(channels, widths.get(s), stride, deep, zeros));
                            channels = widths.get(s) * (deep ? 4 : 1);
                        }
                        stages.add(parts);
                    }
                    return new ResidualNetwork(
                            Unit.blank(inputs, stem, 7, 2, zeros),
                            stages,
                            Linear.of(channels, classes, zeros, BlankModel.ANY));
                });
    }

    private static Part part(int inputs, int width, int stride, boolean deep, Init zeros) {
        int outputs = deep ? 4 * width : width;
        var units =
                deep
                        ? List.of(
                                Unit.blank(inputs, width, 1, 1, zeros),
                                Unit.blank(width, width, 3, stride, zeros),
                                Unit.blank(width, outputs, 1, 1, zeros))
                        : List.of(
                                Unit.blank(inputs, width, 3, stride, zeros),
                                Unit.blank(width, width, 3, 1, zeros));
        boolean same = inputs == outputs && stride == 1;
        return new Part(
                units,
                same
                        ? Optional.empty()
                        : Optional.of(Unit.blank(inputs, outputs, 1, stride, zeros)));
    }
}
