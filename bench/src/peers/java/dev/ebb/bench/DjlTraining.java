package dev.ebb.bench;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.nn.core.Embedding;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;

import dev.ebb.nn.Dense;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.SelfAttention;

import java.util.ArrayList;
import java.util.List;

/**
 * The same models in DJL on its PyTorch engine, written with its array operations and optimizers.
 * DJL offers no fused attention and no GELU by tanh: attention keeps its matrix, GELU goes by erf.
 * Argument: the steps that count.
 */
final class DjlTraining {
    private static final String NAME = "DJL (PyTorch)";

    private final NDManager manager;
    private final List<NDArray> parameters = new ArrayList<>();

    private DjlTraining(NDManager manager) {
        this.manager = manager;
    }

    public static void main(String[] args) {
        int steps = Integer.parseInt(args[0]);
        try (var manager = NDManager.newBaseManager("PyTorch")) {
            // the library is there once there is a manager
            JniUtils.setNumThreads(Workload.THREADS);
            System.out.println(new DjlTraining(manager).mlp(steps));
        }
        try (var manager = NDManager.newBaseManager("PyTorch")) {
            System.out.println(new DjlTraining(manager).gpt(steps));
        }
    }

    private record Linear(NDArray weight, NDArray bias) {
        NDArray apply(NDArray x) {
            return ai.djl.nn.core.Linear.linear(x, weight, bias).singletonOrThrow();
        }
    }

    private record Norm(NDArray scale, NDArray shift) {
        NDArray apply(NDArray x) {
            return x.getNDArrayInternal()
                    .layerNorm(x, new Shape(Workload.WIDTH), scale, shift, 1e-5f)
                    .singletonOrThrow();
        }
    }

    private record Block(Norm first, Linear in, Linear out, Norm second, Linear up, Linear down) {
        NDArray apply(NDArray x, NDArray mask) {
            var attended = x.add(out.apply(attention(in.apply(first.apply(x)), mask)));
            var wide = up.apply(second.apply(attended));
            return attended.add(down.apply(wide.getNDArrayInternal().gelu()));
        }

        private static NDArray attention(NDArray projected, NDArray mask) {
            NDList parts = projected.split(3, 2);
            var scores =
                    heads(parts.get(0))
                            .matMul(heads(parts.get(1)).transpose(0, 1, 3, 2))
                            .mul(1 / Math.sqrt((double) Workload.WIDTH / Workload.HEADS))
                            .add(mask);
            return scores.softmax(-1)
                    .matMul(heads(parts.get(2)))
                    .transpose(0, 2, 1, 3)
                    .reshape(Workload.BATCH, Workload.CONTEXT, Workload.WIDTH);
        }

        private static NDArray heads(NDArray x) {
            return x.reshape(
                            Workload.BATCH,
                            Workload.CONTEXT,
                            Workload.HEADS,
                            Workload.WIDTH / Workload.HEADS)
                    .transpose(0, 2, 1, 3);
        }
    }

    private Timing mlp(int steps) {
        var layers = Workload.mlp().layers().stream().map(this::linearFrom).toList();
        var one = layers.get(0);
        var two = layers.get(1);
        var three = layers.get(2);
        var x = manager.create(Workload.rows(1), new Shape(Workload.ROWS, Workload.IN));
        var y = manager.create(Workload.rows(2), new Shape(Workload.ROWS, Workload.IN));
        var optimizer =
                Optimizer.sgd()
                        .setLearningRateTracker(Tracker.fixed((float) Workload.SGD_RATE))
                        .build();
        return time(
                "MLP",
                steps,
                optimizer,
                x,
                input -> {
                    var hidden = two.apply(relu(one.apply(input)));
                    return three.apply(relu(hidden)).sub(y).square().mean();
                });
    }

    private Timing gpt(int steps) {
        var start = Workload.gpt();
        var tokens = from(start.tokens().weight());
        var positions = from(start.positions().weight());
        var blocks = start.blocks().stream().map(this::blockFrom).toList();
        var last = normFrom(start.norm());
        var ids = manager.create(Workload.tokens(1), new Shape(Workload.BATCH, Workload.CONTEXT));
        var targets =
                manager.create(
                        Workload.tokens(2), new Shape((long) Workload.BATCH * Workload.CONTEXT, 1));
        var mask = mask();
        var optimizer =
                Optimizer.adamW()
                        .optLearningRateTracker(Tracker.fixed((float) Workload.ADAM_RATE))
                        .build();
        return time(
                "GPT",
                steps,
                optimizer,
                ids,
                input -> {
                    var x =
                            Embedding.embedding(input, tokens, SparseFormat.DENSE)
                                    .singletonOrThrow()
                                    .add(positions);
                    for (var block : blocks) x = block.apply(x, mask);
                    var scores =
                            last.apply(x).reshape(-1, Workload.WIDTH).matMul(tokens.transpose());
                    return scores.logSoftmax(-1).gather(targets, 1).mean().neg();
                });
    }

    /** Zero where a token may look, minus infinity where it would look ahead. */
    private NDArray mask() {
        var mask = new float[Workload.CONTEXT * Workload.CONTEXT];
        for (int i = 0; i < mask.length; i++) {
            boolean ahead = i % Workload.CONTEXT > i / Workload.CONTEXT;
            mask[i] = ahead ? Float.NEGATIVE_INFINITY : 0;
        }
        return manager.create(mask, new Shape(Workload.CONTEXT, Workload.CONTEXT));
    }

    private interface Loss {
        NDArray of(NDArray input);
    }

    private Timing time(String model, int steps, Optimizer optimizer, NDArray input, Loss f) {
        return Timing.alone(
                Workload.WARM_UP,
                steps,
                new Timing.Contender(model, NAME, () -> step(optimizer, input, f)));
    }

    private double step(Optimizer optimizer, NDArray input, Loss f) {
        // What a step makes belongs to the manager of its input, and goes with it.
        try (var own = manager.newSubManager()) {
            var fed = input.duplicate();
            fed.attach(own);
            double loss;
            try (var collector = Engine.getEngine("PyTorch").newGradientCollector()) {
                var value = f.of(fed);
                collector.backward(value);
                loss = value.getFloat();
            }
            for (int i = 0; i < parameters.size(); i++) {
                var parameter = parameters.get(i);
                try (var gradient = parameter.getGradient()) {
                    optimizer.update("parameter " + i, parameter, gradient);
                    gradient.subi(gradient);
                }
            }
            return loss;
        }
    }

    private static NDArray relu(NDArray x) {
        return x.getNDArrayInternal().relu();
    }

    private Block blockFrom(dev.ebb.nn.Block block) {
        var in = (SelfAttention.Fused) block.attention().in();
        var wide = (FeedForward.Plain) block.feedForward();
        return new Block(
                normFrom(block.norm1()),
                linearFrom(in.all()),
                linearFrom(block.attention().out()),
                normFrom(block.norm2()),
                linearFrom(wide.up()),
                linearFrom(wide.down()));
    }

    /** Ebb keeps a matrix as [inputs, outputs], PyTorch as [outputs, inputs]. */
    private Linear linearFrom(Dense layer) {
        var start = (dev.ebb.nn.Linear) layer;
        return new Linear(from(start.weight().transpose()), from(start.bias()));
    }

    private Norm normFrom(dev.ebb.nn.Norm norm) {
        var start = (LayerNorm) norm;
        return new Norm(from(start.weight()), from(start.bias()));
    }

    private NDArray from(dev.ebb.tensor.Tensor weight) {
        var sizes = weight.shape().dims().stream().mapToLong(Integer::longValue).toArray();
        return parameter(manager.create(Workload.floats(weight), new Shape(sizes)));
    }

    private NDArray parameter(NDArray array) {
        array.setRequiresGradient(true);
        parameters.add(array);
        return array;
    }
}
