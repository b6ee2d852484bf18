package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Attention;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Queries, keys and values computed by one projection: their gradients are written side by side,
 * with the bits that they have when each op is a separate kernel and a copy concatenates them.
 */
class ProjectionBitsTest {
    private static final Cpu ONE = new Cpu(1);
    private static final Cpu THREE = new Cpu(3);

    @AfterAll
    static void close() {
        ONE.close();
        THREE.close();
    }

    /** The sizes of an attention. */
    private record Sizes(int batch, int heads, int keyHeads, int time, int width, int valueWidth) {
        int model() {
            return heads * valueWidth;
        }

        int projected() {
            return heads * width + keyHeads * (width + valueWidth);
        }

        Tensor block(Tensor x, Tensor weight, Attention seen) {
            var parts =
                    x.matmul(weight)
                            .split(-1, heads * width, keyHeads * width, keyHeads * valueWidth);
            var y =
                    split(parts.get(0), heads)
                            .attention(
                                    split(parts.get(1), keyHeads),
                                    split(parts.get(2), keyHeads),
                                    seen);
            return y.permute(0, 2, 1, 3).reshape(batch, time, model());
        }

        private Tensor split(Tensor x, int count) {
            return x.reshape(batch, time, count, -1).permute(0, 2, 1, 3);
        }

        List<Tensor> inputs(DType type) {
            return List.of(
                    noise(type, 1, batch, time, model()), noise(type, 2, model(), projected()));
        }

        /** A mask in which no query attends to the third key, and the second query to none. */
        Array mask(DType type) {
            var values = new double[time * time];
            for (int i = 0; i < values.length; i++) {
                if (i % time == 2 || i / time == 1) values[i] = Double.NEGATIVE_INFINITY;
                else if (i % 7 == 3) values[i] = -0.5;
            }
            return Array.of(Type.of(type, time, time), values);
        }
    }

    private static Array noise(DType type, long seed, int... dims) {
        var random = new SplittableRandom(seed);
        var shape = Shape.of(dims);
        var values = random.doubles(shape.size(), -1, 1).toArray();
        return Array.of(new Type(type, shape), values);
    }

    private static Fn<List<Tensor>, List<Tensor>> gradient(Sizes sizes, Attention seen) {
        return Ebb.grad(
                (List<Tensor> in) -> {
                    var y = sizes.block(in.get(0), in.get(1), seen);
                    return y.mul(y.sin()).sum();
                });
    }

    /**
     * Asserts that {@code f} fused, on one thread and on three, has the bits of its ops one by one.
     * Returns the nodes that run.
     */
    private static List<Node> sameBits(Fn<List<Tensor>, List<Tensor>> f, List<Tensor> at) {
        var compiled = Ebb.compile(f);
        var plain = results(compiled.on(ONE).unfused(), at);
        same(results(compiled.on(THREE), at), plain);
        try (var again = compiled.on(THREE).with(new RecomputeAll())) {
            same(again.verify(at), plain);
        }
        try (var fused = compiled.on(ONE)) {
            same(fused.apply(at), plain);
            return all(fused.plan(at).schedule().problem().graph());
        }
    }

    private static List<Tensor> results(Compiled<List<Tensor>, List<Tensor>> f, List<Tensor> at) {
        try (f) {
            return f.apply(at);
        }
    }

    private static void same(List<Tensor> actual, List<Tensor> expected) {
        for (int i = 0; i < expected.size(); i++) {
            var a = (Array) actual.get(i);
            var e = (Array) expected.get(i);
            assertThat(a.toDoubles()).as("gradient %d", i).isEqualTo(e.toDoubles());
            assertThat(a.sameBits(e)).as("bits of gradient %d", i).isTrue();
            assertThat(Arrays.stream(e.toDoubles())).allMatch(Double::isFinite);
        }
    }

    /** All nodes, including those of bodies. */
    private static List<Node> all(Graph graph) {
        var nodes = new ArrayList<>(graph.nodes());
        for (Node node : graph.nodes()) {
            if (node.kernel() instanceof Control k) k.bodies().forEach(b -> nodes.addAll(all(b)));
        }
        return nodes;
    }

    private static List<Node> pulled(List<Node> nodes) {
        return nodes.stream().filter(n -> n.kernel() instanceof Kernel.AttendGrad).toList();
    }

    private static void isWrittenAsOne(List<Node> nodes) {
        assertThat(nodes).noneMatch(n -> n.kernel() instanceof Kernel.Assemble);
        assertThat(pulled(nodes)).singleElement().satisfies(n -> hasSize(n, 1));
    }

    private static void hasSize(Node node, int outputs) {
        assertThat(node.outputs()).hasSize(outputs);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 3, 3, 13, 8, 8",
        "1, 4, 4, 70, 64, 64",
        "2, 1, 1, 65, 33, 33",
        "2, 4, 2, 17, 16, 16",
        "1, 6, 1, 31, 5, 7",
        "1, 2, 2, 4, 1, 1",
        "1, 1, 1, 3, 1, 1",
        "3, 2, 1, 1, 8, 12",
        "1, 2, 2, 5, 1100, 3"
    })
    void writtenSideBySide(
            int batch, int heads, int keyHeads, int time, int width, int valueWidth) {
        var sizes = new Sizes(batch, heads, keyHeads, time, width, valueWidth);
        for (DType type : List.of(DType.F32, DType.F64, DType.BF16, DType.F16)) {
            var mask = sizes.mask(type);
            var kinds = new ArrayList<>(List.of(Attention.past(), Attention.full()));
            kinds.add(Attention.full().mask(mask));
            kinds.add(Attention.past().mask(mask));
            // each other type meets each kind at every other size
            int first = type == DType.F32 ? 0 : (time + type.ordinal()) % 2;
            for (int kind = first; kind < kinds.size(); kind += type == DType.F32 ? 1 : 2) {
                var seen = kinds.get(kind);
                var f = gradient(sizes, seen);
                isWrittenAsOne(sameBits(f, sizes.inputs(type)));
            }
        }
    }

    /**
     * Attention of a decoder: separate queries, with keys and values computed by one projection.
     */
    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "BF16"})
    void keysAndValuesAlone(DType type) {
        Fn<List<Tensor>, List<Tensor>> f =
                Ebb.grad(
                        (List<Tensor> in) -> {
                            var q = in.get(0).reshape(2, 5, 3, 8).permute(0, 2, 1, 3);
                            var parts = in.get(1).matmul(in.get(2)).split(-1, 24, 24);
                            var k = parts.get(0).reshape(2, 9, 3, 8).permute(0, 2, 1, 3);
                            var v = parts.get(1).reshape(2, 9, 3, 8).permute(0, 2, 1, 3);
                            var y = q.attention(k, v, Attention.full());
                            return y.mul(y.sin()).sum();
                        });
        List<Tensor> at =
                List.of(noise(type, 1, 2, 5, 24), noise(type, 2, 2, 9, 10), noise(type, 3, 10, 48));
        var nodes = sameBits(f, at);
        assertThat(nodes).noneMatch(n -> n.kernel() instanceof Kernel.Assemble);
        assertThat(pulled(nodes)).singleElement().satisfies(n -> hasSize(n, 2));
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "BF16"})
    void inLoopsAndToTheSecondOrder(DType type) {
        var sizes = new Sizes(2, 2, 1, 7, 4, 6);
        Fn<List<Tensor>, Tensor> looped =
                in ->
                        Loop.repeat(
                                        3,
                                        in.get(0),
                                        x -> x.add(sizes.block(x, in.get(1), Attention.past())))
                                .square()
                                .sum();
        isWrittenAsOne(sameBits(Ebb.grad(looped), sizes.inputs(type)));
        Fn<List<Tensor>, Tensor> slope =
                in -> {
                    var d = gradient(sizes, Attention.past()).apply(in);
                    return d.get(0).square().sum().add(d.get(1).sin().sum());
                };
        sameBits(Ebb.grad(slope), sizes.inputs(type));
    }
}
