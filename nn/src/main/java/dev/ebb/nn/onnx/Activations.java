package dev.ebb.nn.onnx;

import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** The activations of a recurrent layer, with the parameters that some of them have. */
final class Activations {
    private Activations() {}

    @FunctionalInterface
    interface Function {
        Tensor apply(Tensor x);
    }

    /** The activations of all directions, in order. */
    static List<Function> of(OnnxNode node, List<String> each, int directions) {
        var names = new ArrayList<String>(node.texts("activations"));
        if (names.isEmpty()) for (int d = 0; d < directions; d++) names.addAll(each);
        if (names.size() != each.size() * directions)
            throw node.refused(
                    names.size()
                            + " activations, "
                            + names
                            + "; it takes "
                            + each.size()
                            + " in each of "
                            + directions
                            + " directions");
        var alphas = node.floats("activation_alpha").iterator();
        var betas = node.floats("activation_beta").iterator();
        var all = new ArrayList<Function>();
        for (var name : names) all.add(function(node, name, alphas, betas));
        return all;
    }

    /** The next parameter; parameters are listed in the order of the functions that have one. */
    private static double next(Iterator<Float> numbers, double otherwise) {
        return numbers.hasNext() ? numbers.next() : otherwise;
    }

    private static Function function(
            OnnxNode node, String name, Iterator<Float> alphas, Iterator<Float> betas) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "tanh" -> Tensor::tanh;
            case "sigmoid" -> Tensor::sigmoid;
            case "relu" -> Tensor::relu;
            case "softsign" -> Tensor::softsign;
            case "softplus" -> Tensor::softplus;
            case "affine" -> {
                double alpha = next(alphas, 1);
                double beta = next(betas, 0);
                yield x -> x.mul(alpha).add(beta);
            }
            case "leakyrelu" -> {
                double alpha = next(alphas, 0.01);
                yield x -> x.leakyRelu(alpha);
            }
            case "elu" -> {
                double alpha = next(alphas, 1);
                yield x -> x.elu(alpha);
            }
            case "thresholdedrelu" -> {
                double alpha = next(alphas, 1);
                yield x -> Tensors.where(x.gt(alpha), x, x.literal(0));
            }
            case "scaledtanh" -> {
                double alpha = next(alphas, 1);
                double beta = next(betas, 1);
                yield x -> x.mul(beta).tanh().mul(alpha);
            }
            case "hardsigmoid" -> {
                double alpha = next(alphas, 0.2);
                double beta = next(betas, 0.5);
                yield x -> x.mul(alpha).add(beta).clamp(0, 1);
            }
            default -> throw node.refused("the activation " + name);
        };
    }
}
