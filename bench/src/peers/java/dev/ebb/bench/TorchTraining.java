package dev.ebb.bench;

import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.embedding;
import static org.bytedeco.pytorch.global.torch.gelu;
import static org.bytedeco.pytorch.global.torch.layer_norm;
import static org.bytedeco.pytorch.global.torch.linear;
import static org.bytedeco.pytorch.global.torch.manual_seed;
import static org.bytedeco.pytorch.global.torch.mse_loss;
import static org.bytedeco.pytorch.global.torch.ones;
import static org.bytedeco.pytorch.global.torch.randn;
import static org.bytedeco.pytorch.global.torch.relu;
import static org.bytedeco.pytorch.global.torch.scaled_dot_product_attention;
import static org.bytedeco.pytorch.global.torch.set_num_threads;
import static org.bytedeco.pytorch.global.torch.tensor;
import static org.bytedeco.pytorch.global.torch.zeros;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The same models in PyTorch through its C++ interface, by way of JavaCPP: fused attention, MKL's
 * matrix products when JavaCPP is told to load it. Argument: the steps that count.
 */
final class TorchTraining {

    private final List<Tensor> parameters = new ArrayList<>();

    private final String name;

    private TorchTraining(String name) {
        this.name = name;
    }

    public static void main(String[] args) throws IOException {
        int steps = Integer.parseInt(args[0]);
        set_num_threads(Workload.THREADS);
        String name = "PyTorch (JavaCPP, " + (hasMkl() ? "MKL" : "OpenBLAS") + ")";
        manual_seed(1);
        System.out.println(new TorchTraining(name).mlp(steps));
        System.out.println(new TorchTraining(name).gpt(steps));
    }

    /** Whether MKL is loaded: without its jar, JavaCPP falls back to OpenBLAS in silence. */
    private static boolean hasMkl() throws IOException {
        try (var maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.anyMatch(line -> line.contains("libmkl_"));
        }
    }

    private record Linear(Tensor weight, Tensor bias) {
        Tensor apply(Tensor x) {
            return linear(x, weight, new TensorOptional(bias));
        }
    }

    private record Norm(Tensor scale, Tensor shift) {
        Tensor apply(Tensor x) {
            return layer_norm(
                    x,
                    new long[] {Workload.WIDTH},
                    new TensorOptional(scale),
                    new TensorOptional(shift),
                    1e-5,
                    true);
        }
    }

    private record Block(Norm first, Linear in, Linear out, Norm second, Linear up, Linear down) {
        Tensor apply(Tensor x) {
            var attended = x.add(out.apply(attention(in.apply(first.apply(x)))));
            return attended.add(down.apply(gelu(up.apply(second.apply(attended)), "tanh")));
        }

        private static Tensor attention(Tensor projected) {
            var parts = projected.chunk(3, -1);
            return scaled_dot_product_attention(
                            heads(parts.get(0)),
                            heads(parts.get(1)),
                            heads(parts.get(2)),
                            new TensorOptional(),
                            0,
                            true,
                            new DoubleOptional(),
                            false)
                    .transpose(1, 2)
                    .reshape(Workload.BATCH, Workload.CONTEXT, Workload.WIDTH);
        }

        private static Tensor heads(Tensor x) {
            return x.view(
                            Workload.BATCH,
                            Workload.CONTEXT,
                            Workload.HEADS,
                            Workload.WIDTH / Workload.HEADS)
                    .transpose(1, 2);
        }
    }

    private Timing mlp(int steps) {
        var one = linearOf(Workload.IN, Workload.HIDDEN, he(Workload.IN));
        var two = linearOf(Workload.HIDDEN, Workload.HIDDEN, he(Workload.HIDDEN));
        var three = linearOf(Workload.HIDDEN, Workload.IN, he(Workload.HIDDEN));
        var x = tensor(Workload.rows(1)).view(Workload.ROWS, Workload.IN);
        var y = tensor(Workload.rows(2)).view(Workload.ROWS, Workload.IN);
        return time(
                "MLP",
                steps,
                new SGD(vector(), new SGDOptions(Workload.SGD_RATE)),
                () -> mse_loss(three.apply(relu(two.apply(relu(one.apply(x))))), y));
    }

    private Timing gpt(int steps) {
        int width = Workload.WIDTH;
        double back = 0.02 / Math.sqrt(2.0 * Workload.LAYERS);
        var tokens = normal(0.02, Workload.VOCABULARY, width);
        var positions = normal(0.02, Workload.CONTEXT, width);
        var blocks =
                IntStream.range(0, Workload.LAYERS)
                        .mapToObj(
                                _ ->
                                        new Block(
                                                norm(),
                                                linearOf(width, 3 * width, 0.02),
                                                linearOf(width, width, back),
                                                norm(),
                                                linearOf(width, 4 * width, 0.02),
                                                linearOf(4 * width, width, back)))
                        .toList();
        var last = norm();
        var ids = tensor(Workload.tokens(1)).view(Workload.BATCH, Workload.CONTEXT);
        var targets = tensor(Workload.tokens(2));
        return time(
                "GPT",
                steps,
                new AdamW(vector(), new AdamWOptions(Workload.ADAM_RATE)),
                () -> {
                    var x = embedding(tokens, ids).add(positions);
                    for (var block : blocks) x = block.apply(x);
                    var scores = linear(last.apply(x), tokens);
                    return cross_entropy_loss(scores.view(-1, Workload.VOCABULARY), targets);
                });
    }

    private Timing time(String model, int steps, Optimizer optimizer, Supplier<Tensor> f) {
        return Timing.alone(
                Workload.WARM_UP,
                steps,
                new Timing.Contender(
                        model,
                        name,
                        () -> {
                            try (var _ = new PointerScope()) {
                                optimizer.zero_grad();
                                var loss = f.get();
                                loss.backward();
                                optimizer.step();
                                return loss.item_float();
                            }
                        }));
    }

    private TensorVector vector() {
        return new TensorVector(parameters.toArray(Tensor[]::new));
    }

    private Linear linearOf(int inputs, int outputs, double deviation) {
        return new Linear(normal(deviation, outputs, inputs), parameter(zeros(outputs)));
    }

    private Norm norm() {
        return new Norm(parameter(ones(Workload.WIDTH)), parameter(zeros(Workload.WIDTH)));
    }

    private Tensor normal(double deviation, long... shape) {
        return parameter(randn(shape).mul_(new Scalar(deviation)));
    }

    private Tensor parameter(Tensor t) {
        t.set_requires_grad(true);
        parameters.add(t);
        return t;
    }

    private static double he(int inputs) {
        return Math.sqrt(2.0 / inputs);
    }
}
