package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

class TapeChainTest {

    @Test
    void aChainWithRoomForTwiceTheRootOfItsLength() {
        for (int n : new int[] {64, 256, 1024, 4096}) {
            for (double extra : new double[] {2, 4, 8}) {
                int room = (int) (2 * Math.sqrt(n) + extra);
                try (var tape = new Tape(Budget.bytes(64L * room))) {
                    var x = tape.watch(Array.of(0.5, 0.7));
                    Tensor h = x;
                    for (int i = 0; i < n; i++) h = h.sin();
                    int before = tape.report().recomputed();
                    tape.array(tape.gradient(h.sum(), x));
                    var r = tape.report();
                    System.out.println(n + " room " + room + ": " + (double) (n + r.recomputed()) / n + " N; fwd re " + before + " peak " + r.measuredBytes() + " of " + r.promisedBytes() + " s " + r.seconds());
                    assertThat(r.measuredBytes()).isLessThanOrEqualTo(r.promisedBytes());
                }
            }
        }
    }
}
