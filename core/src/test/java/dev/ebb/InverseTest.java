package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.grid.Grid;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** An op that says how an input is rebuilt from what came after it is right, to the last bit. */
class InverseTest {

    /** Random bits of any type: every integer, every kind of float. */
    private static Array any(Type type, Random random) {
        return Array.make(
                type,
                b -> {
                    for (long i = 0; i < b.size(); i++) {
                        if (type.dtype() == DType.F32) {
                            // a NaN that signals is made quiet by any arithmetic before a move
                            b.set(i, Float.intBitsToFloat(random.nextInt()));
                        } else if (type.dtype() == DType.F64) {
                            b.set(i, Double.longBitsToDouble(random.nextLong()));
                        } else if (type.dtype() == DType.BOOL) {
                            b.setLong(i, random.nextInt(2));
                        } else {
                            b.setLong(i, random.nextLong());
                        }
                    }
                });
    }

    /** Rebuilds every input that the only op of {@code f} can rebuild. */
    private static void check(Fn<List<Tensor>, Tensor> f, int count, Type... types) {
        var trace = Trace.of(in -> List.of(f.apply(in)), List.of(types));
        var node = trace.graph().nodes().getFirst();
        var inverses = node.op().inverses(node.inputTypes());
        assertThat(inverses).as("ways back of %s", node.op().name()).hasSize(count);
        var random = new Random(7);
        for (int round = 0; round < 50; round++) {
            var operands = new ArrayList<Tensor>();
            for (Type t : types) operands.add(any(t, random));
            var all = new ArrayList<>(operands);
            all.addAll(Tensors.apply(node.op(), operands));
            for (Inverse inverse : inverses) {
                assertThat(inverse.exact()).isTrue();
                var from = inverse.reads().stream().map(all::get).toList();
                var rebuilt = (Array) Tensors.apply(inverse.op(), from).getFirst();
                assertThat(rebuilt.sameBits((Array) operands.get(inverse.input())))
                        .as("input %s of %s", inverse.input(), node.op().name())
                        .isTrue();
            }
        }
    }

    @Test
    void wholeNumbersWrapBack() {
        for (var dtype : List.of(DType.I32, DType.I64, DType.U8)) {
            var type = Type.of(dtype, 3, 5);
            check(in -> in.get(0).add(in.get(1)), 2, type, type);
            check(in -> in.get(0).sub(in.get(1)), 2, type, type);
            check(in -> in.get(0).add(in.get(1)), 1, type, Type.of(dtype, 5));
            check(in -> in.get(0).sub(in.get(1)), 1, Type.of(dtype, 5), type);
            check(in -> in.get(0).xor(in.get(1)), 2, type, type);
            check(in -> in.get(0).xor(in.get(1)), 1, type, Type.of(dtype, 5));
            check(in -> in.get(0).and(in.get(1)), 0, type, type);
            check(in -> in.get(0).not(), 1, type);
            check(in -> in.get(0).neg(), 1, type);
        }
        check(in -> in.get(0).not(), 1, Type.of(DType.BOOL, 9));
    }

    @Test
    void floatsDoNotAddBack() {
        var type = Type.of(DType.F32, 3, 5);
        check(in -> in.get(0).add(in.get(1)), 0, type, type);
        check(in -> in.get(0).sub(in.get(1)), 0, type, type);
    }

    @Test
    void movesMoveBack() {
        for (var dtype : List.of(DType.F32, DType.F64, DType.I64)) {
            var type = Type.of(dtype, 2, 3, 5);
            check(in -> in.get(0).neg(), 1, type);
            check(in -> in.get(0).reshape(5, 6), 1, type);
            check(in -> in.get(0).permute(2, 0, 1), 1, type);
            check(in -> in.get(0).flip(0, 2), 1, type);
            check(in -> in.get(0).slice(0, 0, 1), 0, type);
            check(in -> Tensors.concat(in, 1), 2, type, Type.of(dtype, 2, 1, 5));
        }
    }

    @Test
    void gridsSayHow() {
        var grid = new Grid(16);
        var type = Type.of(DType.F32, 4);
        var trace = Trace.of(in -> List.of(grid.add(in.get(0), in.get(1))), List.of(type, type));
        var node = trace.graph().nodes().getLast();
        var inverse = node.op().inverses(node.inputTypes()).getFirst();
        assertThat(inverse.of(node).op().name()).isEqualTo("grid_sub");
        assertThat(inverse.of(node).inputs())
                .containsExactly(node.outputs().getFirst(), node.inputs().get(1));
        assertThat(inverse.of(node).outputs()).containsExactly(node.inputs().getFirst());
    }

    @Test
    void anInverseCannotReadWhatItRebuilds() {
        var op = Trace.of(in -> List.of(in.getFirst().neg()), List.of(Type.of(DType.F32, 1)));
        var neg = op.graph().nodes().getFirst().op();
        assertThatThrownBy(() -> Inverse.exact(0, neg, List.of(0)))
                .hasMessageContaining("reads input 0, which it is to rebuild");
    }
}
