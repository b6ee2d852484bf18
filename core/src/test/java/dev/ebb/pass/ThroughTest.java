package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Attention;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** When results that are put together are written together, and when they are not. */
class ThroughTest {

    private static Graph gradient(Function<List<Tensor>, Tensor> f, Type... types) {
        var graph = FuseTest.trace(in -> f.apply(in).square().sum(), types);
        var all = IntStream.range(0, types.length).boxed().toList();
        return Simplify.of(Reverse.pullback(graph, all));
    }

    /** Heads of {@code x} by its last axis. */
    private static Tensor heads(Tensor x, int count) {
        return x.reshape(2, x.dim(1), count, -1).permute(0, 2, 1, 3);
    }

    private static Tensor attended(List<Tensor> qkv, int heads, int keyHeads) {
        return heads(qkv.get(0), heads)
                .attention(
                        heads(qkv.get(1), keyHeads), heads(qkv.get(2), keyHeads), Attention.past());
    }

    /** The gradient of attention has so many outputs, and so many copies put tensors together. */
    private static void becomes(Graph graph, int outputs, int copies) {
        var nodes = Fuse.of(graph).nodes();
        assertThat(nodes.stream().filter(n -> n.kernel() instanceof Kernel.AttendGrad))
                .singleElement()
                .satisfies(n -> assertThat(n.outputs()).hasSize(outputs));
        assertThat(nodes.stream().filter(n -> n.kernel() instanceof Kernel.Assemble))
                .hasSize(copies);
        FuseTest.sameBits(graph);
    }

    @ParameterizedTest
    @CsvSource({"2, 2, 3, 3", "1, 1, 6, 6", "4, 2, 3, 3", "3, 1, 2, 5", "2, 2, 1, 1"})
    void oneProjection(int heads, int keyHeads, int width, int valueWidth) {
        int q = heads * width;
        int k = keyHeads * width;
        int v = keyHeads * valueWidth;
        for (DType type : List.of(DType.F32, DType.F64, DType.BF16, DType.F16)) {
            var x = Type.of(type, 2, 5, q + k + v);
            becomes(
                    gradient(in -> attended(in.getFirst().split(-1, q, k, v), heads, keyHeads), x),
                    1,
                    0);
        }
    }

    @Test
    void inAnyOrderAndAlongAnyAxis() {
        var x = Type.of(DType.F32, 2, 5, 18);
        becomes(
                gradient(in -> attended(in.getFirst().split(-1, 6, 6, 6).reversed(), 2, 2), x),
                1,
                0);
        becomes(
                gradient(
                        in -> attended(in.getFirst().split(1, 5, 5, 5), 2, 2),
                        Type.of(DType.F32, 2, 15, 6)),
                1,
                0);
    }

    /** Keys and values of one source, queries of another. */
    @Test
    void twoOfThree() {
        var q = Type.of(DType.F32, 2, 5, 6);
        var kv = Type.of(DType.F32, 2, 7, 12);
        for (boolean turned : new boolean[] {false, true}) {
            becomes(
                    gradient(
                            in -> {
                                var parts = in.get(1).split(-1, 6, 6);
                                var of = turned ? parts.reversed() : parts;
                                return attended(List.of(in.get(0), of.get(0), of.get(1)), 2, 2);
                            },
                            q,
                            kv),
                    2,
                    0);
        }
        becomes(
                gradient(
                        in -> {
                            var parts = in.get(1).split(-1, 6, 6);
                            return attended(List.of(parts.get(0), in.get(0), parts.get(1)), 2, 2);
                        },
                        Type.of(DType.F32, 2, 5, 6),
                        Type.of(DType.F32, 2, 5, 12)),
                2,
                0);
    }

    /** The rest of the projection goes elsewhere, or nowhere: then there is more to put in. */
    @Test
    void partsThatDoNotFillTheWhole() {
        var x = Type.of(DType.F32, 2, 5, 24);
        becomes(
                gradient(
                        in -> {
                            var parts = in.getFirst().split(-1, 6, 6, 6, 6);
                            var y = attended(parts.subList(0, 3), 2, 2);
                            return y.mul(heads(parts.get(3), 2).sigmoid());
                        },
                        x),
                3,
                1);
        becomes(
                gradient(
                        in -> attended(in.getFirst().split(-1, 6, 6, 6, 6).subList(0, 3), 2, 2), x),
                3,
                1);
    }

    /** Elements of a row would lie apart. */
    @Test
    void rowsStayRows() {
        becomes(
                gradient(
                        in -> {
                            var x = in.getFirst();
                            var parts = new ArrayList<Tensor>();
                            for (Tensor t : x.split(-1, 1, 1, 1)) parts.add(t.reshape(2, 5, 6));
                            return attended(parts, 2, 2);
                        },
                        Type.of(DType.F32, 2, 5, 6, 3)),
                3,
                1);
    }

    private static final Type HEADS = Type.of(DType.F32, 2, 2, 5, 3);

    /** {@code use} of the gradients of queries, keys and values. */
    private static Graph used(Function<List<Tensor>, List<Tensor>> use) {
        Fn<List<Tensor>, List<Tensor>> pulled =
                Ebb.grad(
                        (List<Tensor> in) ->
                                in.get(0)
                                        .attention(in.get(1), in.get(2), Attention.past())
                                        .square()
                                        .sum());
        var types = List.of(HEADS, HEADS, HEADS);
        return Simplify.of(Trace.of(in -> use.apply(pulled.apply(in)), types).graph());
    }

    private static Tensor side(List<Tensor> parts) {
        return Tensors.concat(
                parts.stream().map(t -> t.permute(0, 2, 1, 3).reshape(2, 5, 6)).toList(), -1);
    }

    @Test
    void otherReaders() {
        becomes(used(d -> List.of(side(d))), 1, 0);
        becomes(used(d -> List.of(side(d).exp(), side(d).sum(0))), 1, 0);
        becomes(used(d -> List.of(side(d), d.get(1))), 3, 1);
        becomes(used(d -> List.of(side(d), d.get(2).exp())), 3, 1);
        becomes(used(d -> List.of(side(d), side(d.reversed()))), 3, 2);
        becomes(used(d -> List.of(side(List.of(d.get(0), d.get(0), d.get(2))))), 3, 1);
        becomes(used(d -> List.of(side(List.of(d.get(0), d.get(1), d.get(2).exp())))), 3, 1);
    }

    /** The same without a permute in between. */
    @Test
    void otherReadersOfWholeTensors() {
        for (int axis = 0; axis < 3; axis++) {
            int along = axis;
            becomes(used(d -> List.of(Tensors.concat(d, along))), 1, 0);
            becomes(used(d -> List.of(Tensors.concat(d, along), d.get(1))), 3, 1);
            becomes(used(d -> List.of(Tensors.concat(d, along), d.get(1).exp())), 3, 1);
            becomes(
                    used(
                            d ->
                                    List.of(
                                            Tensors.concat(
                                                    List.of(d.get(0), d.get(0), d.get(1), d.get(2)),
                                                    along))),
                    3,
                    1);
        }
    }

    /** Two pairs of a kind, one after the other. */
    @Test
    void whatIsJoinedTwice() {
        becomes(
                used(
                        d -> {
                            var rows = Tensors.concat(List.of(d.get(0), d.get(1)), 2);
                            return List.of(Tensors.concat(List.of(rows, d.get(2)), 2));
                        }),
                1,
                0);
    }

    @Test
    void theWholeKeepsItsName() {
        assertThat(Fuse.of(used(d -> List.of(Ebb.name(side(d), "slope")))).nodes())
                .filteredOn(n -> n.kernel() instanceof Kernel.AttendGrad)
                .singleElement()
                .satisfies(n -> assertThat(n.labels()).contains("slope"));
    }

    @Test
    void whatIsPaddedIsCopied() {
        becomes(
                used(
                        d ->
                                List.of(
                                        d.get(0).pad(List.of(0, 0, 0, 0), List.of(0, 0, 0, 2)),
                                        d.get(1),
                                        d.get(2))),
                3,
                1);
    }
}
