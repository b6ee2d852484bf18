package dev.ebb.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.tensor.network.Attention;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.Pool;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

/** Derivatives are more graph, so there is always a next one. */
class ThirdOrderTest {
    private static final double STEP = 1e-4;

    @TestFactory
    Stream<DynamicTest> third_derivatives_along_a_line() {
        var w = Differences.normal(7, 4);
        var kernel = Differences.normal(8, 4, 4, 2);
        return Stream.of(
                line("softmax", x -> x.softmax(-1)),
                line("log_softmax", x -> x.logSoftmax(0)),
                line("cross_entropy", x -> x.crossEntropy(Array.of(1, 3, 0))),
                line("layer_norm", x -> x.layerNorm(w, w, 1e-3)),
                line(
                        "convolve",
                        x ->
                                x.square()
                                        .unsqueeze(0)
                                        .permute(0, 2, 1)
                                        .conv1d(kernel, Conv.plain().padding(1))
                                        .square()),
                line("max_pool", x -> x.square().mul(x).unsqueeze(0).maxPool(Pool.of(2))),
                line(
                        "attention",
                        x -> {
                            var q = x.reshape(1, 1, 3, 4);
                            return q.attention(q, q, Attention.past());
                        }),
                line("cholesky", x -> gram(x).cholesky()),
                line("solve", x -> gram(x).solve(x)),
                line("logdet", x -> gram(x).logdet()),
                line("qr", x -> x.transpose().qr().q()),
                line("eigh", x -> gram(x).eigh().vectors().square()),
                line("svd", x -> x.svd().u().square()));
    }

    private static Tensor gram(Tensor x) {
        return x.matmul(x.transpose()).add(Tensors.eye(x.dtype(), x.dim(0)));
    }

    private static DynamicTest line(String name, Fn<Tensor, Tensor> op) {
        var x = Differences.normal(1, 3, 4);
        var direction = Differences.normal(2, 3, 4);
        Fn<Tensor, Tensor> along =
                t -> {
                    var y = op.apply(x.add(direction.mul(t)));
                    return y.mul(Differences.normal(3, y.shape().toArray())).sum();
                };
        return DynamicTest.dynamicTest(name, () -> check(along));
    }

    private static void check(Fn<Tensor, Tensor> f) {
        Fn<Tensor, Tensor> second = Ebb.grad(Ebb.grad(f));
        double found = at(Ebb.grad(second), 0);
        double near = at(second, STEP) - at(second, -STEP);
        double far = at(second, 2 * STEP) - at(second, -2 * STEP);
        double expected = (8 * near - far) / (12 * STEP);
        assertThat(Math.abs(found - expected))
                .as("%s where %s", found, expected)
                .isLessThan(1e-6 * (1 + Math.abs(expected)));
    }

    private static double at(Fn<Tensor, Tensor> f, double t) {
        return f.apply(Array.scalar(t)).item();
    }
}
