package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long chains on a tape: few values kept, few ops repeated. */
class TapeChainTest {
    private static final long VALUE = 64;
    private static final Array START = Array.of(0.5, 0.7);

    private record Run(Array gradient, double forwards, long peak) {}

    private static Run chain(int layers, Budget budget) {
        try (var tape = new Tape(budget)) {
            var x = tape.watch(START);
            Tensor h = x;
            for (int i = 0; i < layers; i++) h = h.sin();
            var g = tape.array(tape.gradient(h.sum(), x));
            var report = tape.report();
            return new Run(g, layers + report.recomputed(), report.measuredBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 4096})
    void roomForTwiceTheRootOfTheLengthCostsOneMoreForwardPass(int layers) {
        long room = VALUE * (long) (2 * Math.sqrt(layers) + 2);
        var run = chain(layers, Budget.bytes(room));
        assertThat(run.forwards).isLessThanOrEqualTo(2.1 * layers);
        assertThat(run.peak).isLessThanOrEqualTo(room);
        assertThat(run.gradient.sameBits(chain(layers, Budget.unlimited()).gradient)).isTrue();
    }

    @Test
    void fewerValuesCostMoreAndChangeNothing() {
        var all = chain(256, Budget.unlimited());
        assertThat(all.forwards).isEqualTo(256);
        double before = 256;
        for (int room : new int[] {200, 100, 50, 25, 12, 8}) {
            var run = chain(256, Budget.bytes(room * VALUE));
            assertThat(run.gradient.sameBits(all.gradient)).isTrue();
            assertThat(run.peak).isLessThanOrEqualTo(room * VALUE);
            assertThat(run.forwards).isGreaterThanOrEqualTo(before);
            before = run.forwards;
        }
    }

    /** A layer of several ops, with a weight they share. */
    @Test
    void layersOfSeveralOps() {
        int layers = 256;
        var w = Array.of(Shape.of(3, 3), 0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, 0.8, -0.9);
        Array[] gradients = new Array[2];
        for (int k = 0; k < 2; k++) {
            long room = (2 * (long) Math.sqrt(3 * layers) + 8) * 2 * VALUE;
            var budget = k == 0 ? Budget.unlimited() : Budget.bytes(room);
            try (var tape = new Tape(budget)) {
                var v = tape.watch(w);
                Tensor h = tape.watch(Array.of(Shape.of(1, 3), 0.1, 0.2, 0.3));
                for (int i = 0; i < layers; i++) h = h.matmul(v).add(h).tanh();
                gradients[k] = tape.array(tape.gradient(h.sum(), v));
                assertThat(tape.report().recomputed()).isLessThanOrEqualTo(2 * 3 * layers);
                assertThat(tape.report().measuredBytes())
                        .isLessThanOrEqualTo(k == 0 ? Long.MAX_VALUE : room);
            }
        }
        assertThat(gradients[1].sameBits(gradients[0])).isTrue();
    }

    @Test
    void allOfALongChainMayBeGone() {
        try (var tape = new Tape(Budget.bytes(4 * VALUE))) {
            Tensor h = tape.watch(START);
            Tensor middle = h;
            for (int i = 0; i < 4096; i++) {
                h = h.sin();
                if (i == 4000) middle = h;
            }
            h.sum().item();
            assertThat(middle.sum().item()).isPositive();
        }
    }
}
