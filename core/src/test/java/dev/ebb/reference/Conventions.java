package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Attention;
import dev.ebb.tensor.network.CrossEntropy;
import dev.ebb.tensor.network.Pool;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Every line of the page of conventions, on a device. */
public abstract class Conventions extends OnDevice {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;
    private static final List<Integer> ALL = List.of(0);

    protected Conventions() {}

    private double[] value(Fn<Tensor, Tensor> f, double... x) {
        return value(f, Array.of(x));
    }

    private double[] slope(Fn<Tensor, Tensor> f, double... x) {
        return slope(f, Array.of(x));
    }

    private static void is(double[] found, double... expected) {
        assertThat(found).containsExactly(expected);
    }

    /** The two halves of a vector as the operands of {@code f}. */
    private static Fn<Tensor, Tensor> two(Fn2<Tensor, Tensor, Tensor> f) {
        return t -> {
            int half = t.dim(0) / 2;
            return f.apply(t.slice(0, 0, half), t.slice(0, half, 2 * half));
        };
    }

    private static Tensor pooled(Tensor x) {
        return x.reshape(1, 1, x.dim(0)).maxPool(Pool.of(x.dim(0)));
    }

    private static void stops(ThrowingCallable run, String... words) {
        assertThatThrownBy(run)
                .isInstanceOfAny(IndexOutOfBoundsException.class, ArithmeticException.class)
                .hasMessageContainingAll(words);
    }

    private static void refused(ThrowingCallable trace, String... words) {
        assertThatThrownBy(trace).isInstanceOf(ShapeException.class).hasMessageContainingAll(words);
    }

    private Map<String, Runnable> lines() {
        var lines = new LinkedHashMap<String, Runnable>();
        kinks(lines);
        new ScatterConventions(this::value, this::slope).add(lines);
        nans(lines);
        ends(lines);
        reductions(lines);
        integers(lines);
        return lines;
    }

    private void kinks(Map<String, Runnable> lines) {
        lines.put("abs at zero", () -> is(slope(Tensor::abs, -2, 0, 2, NAN), -1, 0, 1, 0));
        lines.put(
                "sign at zero",
                () -> {
                    is(value(Tensor::sign, -2, 0, NAN), -1, 0, NAN);
                    is(slope(Tensor::sign, -2, 0), 0, 0);
                });
        lines.put("relu at zero", () -> is(slope(Tensor::relu, -1, 0, 1), 0, 0, 1));
        lines.put("relu6 at its bounds", () -> is(slope(Tensor::relu6, 0, 3, 6), 0, 1, 0));
        lines.put(
                "clamp at its bounds",
                () -> is(slope(t -> t.clamp(-1, 1), -2, -1, 1, 2, NAN), 0, 1, 1, 0, 0));
        lines.put(
                "maximum and minimum of equals",
                () -> {
                    is(slope(two(Tensor::maximum), 1, 3, 1, 2), 0.5, 1, 0.5, 0);
                    is(slope(two(Tensor::minimum), 1, 3, 1, 2), 0.5, 0, 0.5, 1);
                });
        lines.put(
                "amax and amin of equals",
                () -> {
                    is(slope(t -> t.amax(), 3, 1, 3), 0.5, 0, 0.5);
                    is(slope(t -> t.amin(), 1, 3, 1), 0.5, 0, 0.5);
                });
        lines.put("max pooling of equals", () -> is(slope(t -> pooled(t), 1, 3, 3), 0, 1, 0));
        lines.put(
                "sort of equals",
                () -> {
                    is(value(t -> t.argsort(0, false), 2, 1, 2, 1), 1, 3, 0, 2);
                    is(value(t -> t.argsort(0, true), 2, 1, 2, 1), 0, 2, 1, 3);
                });
        lines.put(
                "argmax of equals",
                () -> {
                    is(value(t -> t.argmax(0), 1, 3, 3), 1);
                    is(value(t -> t.argmin(0), 3, 1, 1), 1);
                });
        lines.put(
                "round of halves",
                () -> is(value(Tensor::round, -1.5, -0.5, 0.5, 1.5, 2.5), -2, -0.0, 0, 2, 2));
    }

    private void nans(Map<String, Runnable> lines) {
        lines.put(
                "maximum with NaN",
                () -> {
                    is(value(two(Tensor::maximum), NAN, 1, 1, NAN), NAN, NAN);
                    is(slope(two(Tensor::maximum), NAN, 1, 1, NAN), 1, 1, 1, 1);
                    is(slope(two(Tensor::minimum), NAN, 1, 1, NAN), 1, 1, 1, 1);
                });
        lines.put(
                "relu of NaN",
                () -> {
                    is(value(Tensor::relu, NAN), NAN);
                    is(slope(Tensor::relu, NAN), 1);
                    is(slope(Tensor::relu6, NAN), 1);
                });
        lines.put(
                "amax of NaN",
                () -> {
                    is(value(t -> t.amax(), 1, NAN, 3), NAN);
                    is(slope(t -> t.amax(), 1, NAN, 3, NAN), 0, 0.5, 0, 0.5);
                    is(slope(t -> t.amin(), 1, NAN, 3), 0, 1, 0);
                });
        lines.put(
                "max pooling of NaN",
                () -> {
                    is(value(t -> pooled(t), 1, NAN, 3), NAN);
                    is(slope(t -> pooled(t), 1, NAN, 3), 0, 1, 0);
                });
        lines.put(
                "argmax of NaN",
                () -> {
                    is(value(t -> t.argmax(0), 1, NAN, 3, NAN), 1);
                    is(value(t -> t.argmin(0), 1, NAN, 3, NAN), 1);
                });
        lines.put(
                "sort of NaN",
                () -> {
                    is(value(t -> t.sort(0, false).values(), NAN, 1, INF), 1, INF, NAN);
                    is(value(t -> t.topk(1, 0).values(), 1, NAN, 3), NAN);
                });
        lines.put(
                "comparisons with NaN",
                () -> {
                    is(value(t -> t.lt(1).or(t.ge(1)).or(t.eq(t)).cast(DType.F64), NAN), 0);
                    is(value(t -> t.ne(t).cast(DType.F64), NAN), 1);
                });
        lines.put(
                "where with NaN not taken",
                () -> {
                    Fn<Tensor, Tensor> f =
                            t -> Tensors.where(t.gt(0), t.mul(2), t.literal(NAN).mul(t.literal(0)));
                    is(value(f, 1), 2);
                    is(slope(f, 1), 2);
                });
        lines.put(
                "softmax of infinity",
                () -> {
                    is(value(t -> t.softmax(0), INF, 0), NAN, NAN);
                    is(value(t -> t.softmax(0), -INF, -INF), NAN, NAN);
                    is(value(t -> t.softmax(0), -INF, 0), 0, 1);
                    is(value(t -> t.logSoftmax(0), INF, 0), NAN, NAN);
                });
        lines.put(
                "logsumexp of infinities",
                () -> {
                    is(value(t -> t.logsumexp(0), -INF, -INF), -INF);
                    is(value(t -> t.logsumexp(0), INF, 0), INF);
                });
        lines.put(
                "logaddexp of equal infinities",
                () -> {
                    is(value(two(Tensor::logaddexp), -INF, INF, -INF, INF), -INF, INF);
                    is(slope(two(Tensor::logaddexp), -INF, INF, -INF, INF), 0.5, 0.5, 0.5, 0.5);
                });
        lines.put("attention with nothing to attend to", this::attention);
    }

    private void attention() {
        var x = Array.of(Shape.of(1, 1, 1, 2), 1.0, 2.0);
        var mask = Array.of(Shape.of(1, 1), -INF);
        Fn<Tensor, Tensor> f = t -> t.attention(t, t, Attention.full().mask(mask));
        is(value(f, x), 0, 0);
        is(slope(f, x), 0, 0);
    }

    private void ends(Map<String, Runnable> lines) {
        lines.put(
                "sqrt at zero",
                () -> {
                    is(value(Tensor::sqrt, 0), 0);
                    is(slope(Tensor::sqrt, 0), INF);
                });
        lines.put(
                "log at zero",
                () -> {
                    is(value(Tensor::log, 0, -1), -INF, NAN);
                    is(slope(Tensor::log, 0), INF);
                });
        lines.put(
                "pow of zero and zero",
                () -> {
                    is(value(two(Tensor::pow), 0, 0), 1);
                    is(slope(two(Tensor::pow), 0, 0), 0, 0);
                    is(slope(t -> t.pow(0), 0), 0);
                });
        lines.put(
                "deviation at zero",
                () -> {
                    is(value(t -> t.deviation(ALL, 1, false), 2, 2, 2), 0);
                    is(slope(t -> t.deviation(ALL, 1, false), 2, 2, 2), 0, 0, 0);
                });
        lines.put(
                "norm at zero",
                () -> {
                    is(slope(t -> t.norm(2, ALL, false), 0, 0), 0, 0);
                    is(slope(t -> t.norm(3, ALL, false), 0, 0), 0, 0);
                });
        lines.put(
                "variance of one element",
                () -> {
                    is(value(t -> t.variance(ALL, 1, false), 2), NAN);
                    is(value(t -> t.variance(ALL, 0, false), 2), 0);
                });
        lines.put(
                "prod with zeros",
                () -> {
                    is(slope(t -> t.prod(), 2, 0, 3), 0, 6, 0);
                    is(slope(t -> t.prod(), 2, 0, 0), 0, 0, 0);
                    is(slope(t -> t.cumprod(0), 2, 0, 3), 1, 8, 0);
                });
        lines.put("xlogy at zero", () -> is(value(two(Tensor::xlogy), 0, 0), 0));
        lines.put("erfinv at one", () -> is(value(Tensor::erfinv, 1, -1, 2), INF, -INF, NAN));
        lines.put(
                "digamma at its poles",
                () -> is(value(Tensor::digamma, 0, -0.0, -1), -INF, INF, NAN));
        lines.put("lgamma at its poles", () -> is(value(Tensor::lgamma, 0, -1), INF, INF));
    }

    private void reductions(Map<String, Runnable> lines) {
        var none = Tensors.zeros(DType.F64, Shape.of(0));
        lines.put(
                "sum of nothing",
                () -> {
                    is(value(t -> t.sum(), none), 0);
                    is(value(t -> t.prod(), none), 1);
                    is(value(t -> t.mean(), none), NAN);
                });
        lines.put("amax of nothing", () -> refused(() -> value(t -> t.amax(), none), "amax"));
        lines.put(
                "any and all of nothing",
                () -> {
                    is(value(t -> t.gt(0).any().cast(DType.F64), none), 0);
                    is(value(t -> t.gt(0).all().cast(DType.F64), none), 1);
                });
        lines.put(
                "sums of sixteen-bit floats",
                () -> {
                    Fn<Tensor, Tensor> ones =
                            t -> Tensors.ones(DType.BF16, Shape.of(3000)).mul(t).sum();
                    is(value(ones, Array.of(1.0).cast(DType.BF16)), 3008);
                });
        lines.put(
                "long sums of f32",
                () -> is(value(t -> t.mul(0).add(1).sum(), new double[100_000]), 100_000));
        lines.put("sums of integers", this::wholes);
        lines.put(
                "cross entropy of ignored labels",
                () -> {
                    var logits = Array.of(Shape.of(2, 2), 0.0, 0.0, 5.0, 0.0);
                    var ignoring = CrossEntropy.mean().ignoring(-100);
                    double[] one =
                            value(t -> t.crossEntropy(Array.of(0L, -100L), ignoring), logits);
                    is(one, Math.log(2));
                    is(value(t -> t.crossEntropy(Array.of(-100L, -100L), ignoring), logits), NAN);
                });
    }

    private void wholes() {
        var large = Array.of(Type.of(DType.I32, 2), 2e9, 2e9);
        is(value(t -> t.sum(), large), 4e9);
        is(value(t -> t.prod(), large), 4e18);
        is(value(t -> t.scatterAdd(0, t.mul(0), t), large), 6e9, 2e9);
        is(value(t -> t.indexAdd(0, t.mul(0), t), large), 6e9, 2e9);
        is(value(t -> t.cumsum(0), large), 2e9, 4e9);
        is(value(t -> t.cumprod(0), large), 2e9, 4e18);
        is(value(t -> t.cast(DType.U8).sum(), Array.of(200, 100)), 300);
        assertThat(large.sum().dtype()).isEqualTo(DType.I64);
    }

    private void integers(Map<String, Runnable> lines) {
        var seven = Array.of(Type.of(DType.I32, 2), 7, -7);
        lines.put("integer division", () -> is(value(t -> t.div(2), seven), 3, -3));
        lines.put("integer division by zero", this::byZero);
        lines.put(
                "remainder",
                () -> {
                    is(value(t -> t.remainder(3), seven), 1, 2);
                    is(value(t -> t.remainder(-3), seven), -2, -1);
                    is(value(t -> t.remainder(3), 7.5, -7.5), 1.5, 1.5);
                });
        lines.put(
                "integer overflow",
                () -> {
                    var most = Array.of(Type.of(DType.I32, 1), 0x7fffffff);
                    is(value(t -> t.add(1), most), Integer.MIN_VALUE);
                    is(value(t -> t.mul(2), most), -2);
                });
        lines.put(
                "literals for integers",
                () -> {
                    refused(() -> value(t -> t.mul(0.5), seven), "0.5", "i32[2]");
                    refused(() -> value(t -> t.add(1e12), seven), "1.0E12", "i32[2]");
                });
        lines.put("index out of range", this::outOfRange);
        lines.put(
                "floats to integers",
                () -> {
                    is(
                            value(t -> t.cast(DType.I32), -1.9, 1.9, NAN, 1e20),
                            -1,
                            1,
                            0,
                            Integer.MAX_VALUE);
                    is(value(t -> t.cast(DType.U8), 257), 1);
                });
        lines.put(
                "floats to sixteen bits",
                () -> {
                    is(value(t -> t.cast(DType.F16).cast(DType.F64), 65520, 2049), INF, 2048);
                    is(value(t -> t.cast(DType.BF16).cast(DType.F64), 257, 259), 256, 260);
                });
        lines.put(
                "numbers to truth values",
                () -> is(value(t -> t.cast(DType.BOOL), 0, 0.5, NAN), 0, 1, 1));
    }

    private void byZero() {
        var seven = Array.of(Type.of(DType.I32, 2), 7, -7);
        refused(() -> value(t -> t.div(0), seven), "div", "i32[2]", "zero");
        stops(() -> value(t -> t.div(t.sub(t)), seven), "div", "7", "zero", "where");
        stops(() -> value(t -> t.remainder(t.sub(t)), seven.cast(DType.I64)), "remainder", "7");
        is(value(t -> t.div(t.sub(t)), 1, -1), INF, -INF);
    }

    private void outOfRange() {
        var table = Array.of(Shape.of(3, 2), 1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        for (long bad : new long[] {-1, 3}) {
            var index = Array.of(0L, bad);
            var named = new String[] {"index " + bad, "3 elements"};
            stops(() -> value(t -> t.embedding(index), table), "gather", named[0], named[1]);
            stops(() -> value(t -> t.indexAdd(0, index, t.slice(0, 0, 2)), table), named);
            stops(() -> value(t -> t.crossEntropy(index), table.permute(1, 0)), named);
            stops(() -> value(t -> Tensors.oneHot(t, 3, DType.F32), index), "one_hot", named[0]);
        }
    }

    @TestFactory
    Stream<DynamicTest> every_line_holds() {
        return lines().entrySet().stream()
                .map(e -> DynamicTest.dynamicTest(e.getKey(), e.getValue()::run));
    }

    @Test
    void the_page_lists_what_is_tested_and_nothing_else() throws IOException {
        var page = Files.readAllLines(Path.of("..", "docs", "guide", "conventions.md"));
        var cases =
                page.stream()
                        .filter(l -> l.startsWith("| ") && !l.startsWith("| case "))
                        .map(l -> l.substring(2, l.indexOf(" |")))
                        .toList();
        assertThat(cases).containsExactlyElementsOf(lines().keySet());
    }
}
