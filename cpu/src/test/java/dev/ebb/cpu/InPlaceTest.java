package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Cell;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

/** Parts of dead versions are written in place, with the bits and the bytes of the Reference. */
class InPlaceTest {
    private static final long LARGE = 512L * 64 * Double.BYTES;

    private static Tensor written(Tensor x) {
        var c = new Cell(x);
        c.update(v -> v.mul(v).add(0.25));
        c.assign(0, 2, 4, x.literal(3));
        c.update(v -> v.sub(0.5));
        c.assign(1, 7, 19, x.slice(1, 0, 12));
        c.assignWhere(x.lt(0.5), x.literal(0.75));
        return c.get();
    }

    private static void check(Fn<Tensor, Tensor> f, long most) {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 512, 64));
        try (var device = Cpu.allCores();
                var fast = Ebb.compile(f).on(device);
                var slow = Ebb.compile(f).on(new Reference())) {
            assertThat(fast.apply(x).sameBits((Array) slow.apply(x))).isTrue();
            long bytes = fast.report().promisedBytes() - fast.plan(x).workerBytes();
            assertThat(fast.report().measuredBytes()).isEqualTo(fast.report().promisedBytes());
            assertThat(bytes).isLessThanOrEqualTo(most).isEqualTo(slow.report().promisedBytes());
        }
    }

    @Test
    void inAFunction() {
        // the argument, which is read until the end, and the cell
        check(InPlaceTest::written, 2 * LARGE + LARGE / 4);
    }

    @Test
    void inALoop() {
        check(x -> Loop.repeat(4, x, InPlaceTest::written), 3 * LARGE + LARGE / 4);
    }

    @Test
    void inAGradient() {
        check(Ebb.grad(x -> written(x).square().sum()), 4 * LARGE + LARGE / 4);
    }
}
