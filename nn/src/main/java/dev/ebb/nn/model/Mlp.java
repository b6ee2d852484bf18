package dev.ebb.nn.model;

import dev.ebb.Fn;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;

/** A multilayer perceptron: linear layers with an activation between them. */
public record Mlp(List<Linear> layers, Activation activation) implements Fn<Tensor, Tensor> {

    /** Layers from each of {@code widths} to the next. */
    public static Mlp of(List<Integer> widths, Activation activation, Seed seed) {
        if (widths.size() < 2) {
            throw new IllegalArgumentException(
                    "an MLP needs the width of its input and of its output at least, not "
                            + widths);
        }
        var layers = new ArrayList<Linear>();
        for (int i = 0; i + 1 < widths.size(); i++) {
            int inputs = widths.get(i);
            layers.add(Linear.of(inputs, widths.get(i + 1), Init.heNormal(inputs), seed.of(i)));
        }
        return new Mlp(layers, activation);
    }

    @Override
    public Tensor apply(Tensor x) {
        var y = layers.getFirst().apply(x);
        for (var layer : layers.subList(1, layers.size())) y = layer.apply(activation.apply(y));
        return y;
    }
}
