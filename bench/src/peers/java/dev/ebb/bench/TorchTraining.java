package dev.ebb.bench;

import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.embedding;
import static org.bytedeco.pytorch.global.torch.gelu;
import static org.bytedeco.pytorch.global.torch.layer_norm;
import static org.bytedeco.pytorch.global.torch.linear;
import static org.bytedeco.pytorch.global.torch.mse_loss;
import static org.bytedeco.pytorch.global.torch.relu;
import static org.bytedeco.pytorch.global.torch.scaled_dot_product_attention;
import static org.bytedeco.pytorch.global.torch.set_num_threads;
import static org.bytedeco.pytorch.global.torch.tensor;

import dev.ebb.nn.Dense;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.SelfAttention;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

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
        var layers = Workload.mlp().layers().stream().map(this::linearFrom).toList();
        var one = layers.get(0);
        var two = layers.get(1);
        var three = layers.get(2);
        var x = tensor(Workload.rows(1)).view(Workload.ROWS, Workload.IN);
        var y = tensor(Workload.rows(2)).view(Workload.ROWS, Workload.IN);
        return time(
                "MLP",
                steps,
                new SGD(vector(), new SGDOptions(Workload.SGD_RATE)),
                () -> mse_loss(three.apply(relu(two.apply(relu(one.apply(x))))), y));
    }

    private Timing gpt(int steps) {
        var start = Workload.gpt();
        var tokens = from(start.tokens().weight());
        var positions = from(start.positions().weight());
        var blocks = start.blocks().stream().map(this::blockFrom).toList();
        var last = normFrom(start.norm());
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

    private Tensor from(dev.ebb.tensor.Tensor weight) {
        var sizes = weight.shape().dims().stream().mapToLong(Integer::longValue).toArray();
        return parameter(tensor(Workload.floats(weight)).view(sizes).clone());
    }

    private Tensor parameter(Tensor t) {
        t.set_requires_grad(true);
        parameters.add(t);
        return t;
    }
}
