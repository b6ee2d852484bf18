package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.pass.Simplify;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * Tensors made from nothing, elements moved, integers and truth values, and what is kept of them.
 */
class MakeAndMoveTest {

    private static double[] values(Tensor t) {
        return t.toDoubles();
    }

    @Test
    void counting() {
        assertThat(values(Tensors.arange(DType.I32, 4))).containsExactly(0, 1, 2, 3);
        assertThat(values(Tensors.arange(DType.F64, 1, 2, 0.5))).containsExactly(1, 1.5);
        assertThat(values(Tensors.arange(DType.F64, 2, 0.5, -0.5))).containsExactly(2, 1.5, 1);
        assertThat(values(Tensors.arange(DType.F64, 1, 1, 1))).isEmpty();
        assertThat(values(Tensors.iota(DType.I64, Shape.of(2, 3), 1)))
                .containsExactly(0, 1, 2, 0, 1, 2);
        var even = values(Tensors.linspace(DType.F64, -0.1, 0.3, 5));
        assertThat(even).containsExactly(new double[] {-0.1, 0, 0.1, 0.2, 0.3}, within(1e-16));
        assertThat(even[4]).isEqualTo(0.3);
        assertThat(values(Tensors.linspace(DType.F64, 3, 7, 1))).containsExactly(3);
    }

    @Test
    void filling() {
        assertThat(values(Tensors.eye(DType.F32, 2))).containsExactly(1, 0, 0, 1);
        assertThat(values(Tensors.ones(DType.U8, Shape.of(2)))).containsExactly(1, 1);
        assertThat(values(Tensors.fill(Type.of(DType.F16, 2), 1.5))).containsExactly(1.5, 1.5);
        var hot = Tensors.oneHot(Array.of(2L, 0L), 3, DType.F64);
        assertThat(hot.shape()).isEqualTo(Shape.of(2, 3));
        assertThat(values(hot)).containsExactly(0, 0, 1, 1, 0, 0);
    }

    @Test
    void moving() {
        var x = Array.of(1.0, 2.0, 3.0);
        assertThat(values(x.flip(0))).containsExactly(3, 2, 1);
        assertThat(values(x.roll(1, 0))).containsExactly(3, 1, 2);
        assertThat(values(x.roll(-4, 0))).containsExactly(2, 3, 1);
        assertThat(values(x.repeat(2, 0))).containsExactly(1, 1, 2, 2, 3, 3);
        assertThat(values(x.tile(2, 0))).containsExactly(1, 2, 3, 1, 2, 3);
        assertThat(values(x.slice(0, -2, 3))).containsExactly(2, 3);
        assertThat(values(x.slice(0, 0, 3, 2))).containsExactly(1, 3);
        assertThat(values(x.at(0, -1))).containsExactly(3);
        assertThat(values(x.pad(List.of(1), List.of(2), 9))).containsExactly(9, 1, 2, 3, 9, 9);
        var least = Tensors.fill(Type.of(DType.I32), Integer.MIN_VALUE);
        assertThat(least.item()).isEqualTo(Integer.MIN_VALUE);
        var y = Array.of(Shape.of(2, 3, 4), new double[24]);
        assertThat(y.moveAxis(0, 2).shape()).isEqualTo(Shape.of(3, 4, 2));
        assertThat(y.moveAxis(-1, 0).shape()).isEqualTo(Shape.of(4, 2, 3));
        assertThat(y.unsqueeze(-1).shape()).isEqualTo(Shape.of(2, 3, 4, 1));
        assertThat(y.chunk(2, 2).getLast().shape()).isEqualTo(Shape.of(2, 3, 2));
    }

    @Test
    void truth() {
        var a = Array.of(Shape.of(4), true, true, false, false);
        var b = Array.of(Shape.of(4), true, false, true, false);
        assertThat(values(a.and(b))).containsExactly(1, 0, 0, 0);
        assertThat(values(a.or(b))).containsExactly(1, 1, 1, 0);
        assertThat(values(a.xor(b))).containsExactly(0, 1, 1, 0);
        assertThat(values(a.not())).containsExactly(0, 0, 1, 1);
        assertThat(values(a.any())).containsExactly(1);
        assertThat(values(a.all())).containsExactly(0);
        var none = Tensors.zeros(DType.BOOL, Shape.of(2, 0));
        assertThat(values(none.any(List.of(1), false))).containsExactly(0, 0);
        assertThat(values(none.all(List.of(1), true))).containsExactly(1, 1);
    }

    @Test
    void integers() {
        var x = Array.of(7, -7, 12);
        assertThat(values(x.div(2))).containsExactly(3, -3, 6);
        assertThat(values(x.and(Array.of(6)))).containsExactly(6, 0, 4);
        assertThat(values(x.not())).containsExactly(~7, ~-7, ~12);
        assertThat(values(x.maximum(0))).containsExactly(7, 0, 12);
        assertThat(values(x.abs().sum())).containsExactly(26);
        assertThat(values(x.sign())).containsExactly(1, -1, 1);
        assertThat(values(x.cumsum(0))).containsExactly(7, 0, 12);
        assertThat(values(x.prod())).containsExactly(-588);
        assertThat(values(x.clamp(-1, 8))).containsExactly(7, -1, 8);
        var bytes = Array.of(Type.of(DType.U8, 2), 200, 100);
        assertThat(values(bytes.add(100))).containsExactly(44, 200);
    }

    @Test
    void sixteen_bits() {
        for (var type : List.of(DType.F16, DType.BF16)) {
            var x = Array.of(Type.of(type, 3), 0.5, 1, 2);
            var g = Ebb.grad((Tensor t) -> t.silu().sum()).apply(x);
            assertThat(g.dtype()).isEqualTo(type);
            assertThat(values(g))
                    .containsExactly(new double[] {0.7398, 0.9277, 1.0908}, within(0.005));
        }
    }

    private static Graph gradient(Fn<Tensor, Tensor> f) {
        Fn<Tensor, Tensor> gradient = Ebb.grad((Tensor t) -> f.apply(t).sum());
        var type = Type.of(DType.F64, 2, 6);
        return Simplify.of(
                Trace.of(in -> List.of(gradient.apply(in.getFirst())), List.of(type)).graph());
    }

    private static long count(Graph graph, String op) {
        return graph.nodes().stream().filter(n -> n.op().name().startsWith(op)).count();
    }

    @Test
    void parts_go_back_in_one_piece() {
        var graph =
                gradient(
                        t -> {
                            var parts = t.chunk(3, 1);
                            return parts.get(0)
                                    .exp()
                                    .mul(parts.get(1).sin())
                                    .add(parts.get(2).cos());
                        });
        assertThat(count(graph, "assemble")).isEqualTo(1);
        assertThat(count(graph, "accumulate")).isEqualTo(0);
        assertThat(count(gradient(t -> t.flip(1).exp()), "assemble")).isEqualTo(0);
        assertThat(count(gradient(t -> t.roll(2, 1).exp()), "accumulate")).isEqualTo(0);
    }

    /** The backward half reads bits of what these saw, never the values. */
    @Test
    void straight_lines_keep_bits() {
        List<Fn<Tensor, Tensor>> lines =
                List.of(
                        Tensor::relu,
                        Tensor::relu6,
                        Tensor::abs,
                        Tensor::hardsigmoid,
                        t -> t.leakyRelu(0.1),
                        t -> t.clamp(-1, 1),
                        t -> t.maximum(0),
                        t -> t.amax(1));
        for (var line : lines) {
            var choices =
                    gradient(line).nodes().stream()
                            .filter(n -> n.op().name().equals("where"))
                            .toList();
            assertThat(choices).isNotEmpty();
            assertThat(choices)
                    .allSatisfy(
                            n ->
                                    assertThat(n.inputTypes().getFirst().dtype())
                                            .isEqualTo(DType.BIT));
        }
    }

    @Test
    void squeezing_takes_away_all_axes_of_size_one_or_those_named() {
        var x = Tensors.ones(DType.F32, 1, 2, 1, 3, 1);
        assertThat(x.squeeze().shape()).isEqualTo(Shape.of(2, 3));
        assertThat(x.squeeze(0, -1).shape()).isEqualTo(Shape.of(2, 1, 3));
        assertThat(x.squeeze(new int[0]).shape()).isEqualTo(x.shape());
        assertThat(Tensors.ones(DType.F32, 1, 1).squeeze().item()).isEqualTo(1);
    }

    @Test
    void truth_values_make_a_vector() {
        var x = Array.of(true, false);
        assertThat(x.dtype()).isEqualTo(DType.BOOL);
        assertThat(x.toInts()).containsExactly(1, 0);
    }
}
