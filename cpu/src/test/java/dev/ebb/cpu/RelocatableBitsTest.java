package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Tape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Function;

/**
 * An op on few elements that a tape has run several times becomes a method with the addresses of
 * its operands as arguments. The first runs use the kernels: all later ones have their bits.
 */
class RelocatableBitsTest {
    private static final List<Function<Tensor, Tensor>> OPS =
            List.of(
                    x -> x.mul(x),
                    x -> x.add(1).sin(),
                    x -> x.div(x.add(3)),
                    x -> x.sum(),
                    x -> x.div(x.square().sum().add(1)),
                    x -> x.sum(0),
                    x -> x.sum(1),
                    x -> x.amax(1),
                    x -> x.matmul(x.transpose()),
                    x -> x.softmax(1),
                    x -> Tensors.where(x.gt(0), x, x.neg()),
                    x -> x.slice(0, 1, 2),
                    x -> Tensors.concat(List.of(x, x.exp()), 1),
                    x -> x.cast(DType.F32).tanh(),
                    x -> x.cast(DType.I32).add(2),
                    x -> x.transpose().reshape(x.shape().dim(0) * x.shape().dim(1)),
                    x -> x.relu().square().mean());

    private static Tensor gradient(Tape tape, Tensor x, Tensor y) {
        return y.dtype().isFloat() ? tape.gradient(y.cast(DType.F64).sum(), x) : y;
    }

    @Test
    void laterRunsHaveTheBitsOfTheFirst() {
        for (DType type : List.of(DType.F64, DType.F32)) {
            for (int columns : new int[] {1, 3, 40}) {
                var key = Key.of(columns);
                var start = (Array) key.normal(Type.of(DType.F64, 2, columns)).cast(type);
                try (var cpu = new Cpu(2)) {
                    for (var op : OPS) same(cpu, start, op);
                }
            }
        }
    }

    private static void same(Cpu cpu, Array start, Function<Tensor, Tensor> op) {
        Array value = null;
        Array slope = null;
        for (int round = 0; round < 2; round++) {
            try (var tape = new Tape(Budget.mebibytes(4), cpu)) {
                for (int run = 0; run < 12; run++) {
                    var x = tape.watch((Tensor) start);
                    var y = op.apply(x);
                    var now = tape.array(y);
                    var slopeNow = tape.array(gradient(tape, x, y));
                    if (value == null || slope == null) {
                        value = now;
                        slope = slopeNow;
                    }
                    assertThat(now.data().segment().mismatch(value.data().segment())).isEqualTo(-1);
                    assertThat(slopeNow.data().segment().mismatch(slope.data().segment()))
                            .isEqualTo(-1);
                }
            }
        }
    }
}
