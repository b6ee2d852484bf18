package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.reference.Guarded;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.Random;

/** What is called measured is what was allocated and written, by a count of its own. */
class MeasuredTest {
    private static final Array X =
            Array.of(Shape.of(16, 16), new Random(1).doubles(256, -1, 1).toArray());

    private static Tensor loss(Tensor x) {
        var y = Loop.repeat(6, x, c -> c.matmul(x).tanh());
        return y.exp().matmul(x).sin().square().mean();
    }

    @Test
    void whatIsWrittenIsWhatIsReported() {
        var f = Ebb.valueAndGrad(MeasuredTest::loss);
        var plan = Ebb.compile(f).on(new Reference()).plan(X);
        for (long bytes : new long[] {plan.storeAllBytes(), plan.storeAllBytes() * 2 / 3}) {
            long[] ends = new long[2];
            for (int i = 0; i < 2; i++) {
                var device = new Guarded(new Reference(), i == 0 ? 0xa5 : 0x5a);
                try (var run = Ebb.compile(f).within(Budget.bytes(bytes)).on(device)) {
                    run.apply(X);
                    var touched = device.touched();
                    assertThat(touched.allocated()).isEqualTo(run.report().promisedBytes());
                    assertThat(touched.end()).isLessThanOrEqualTo(run.report().measuredBytes());
                    assertThat(run.report().measuredBytes()).isLessThanOrEqualTo(bytes);
                    ends[i] = touched.end();
                    // padding to lines is all that a report may count beyond what was written
                    assertThat(run.report().measuredBytes() - Math.max(ends[0], ends[1]))
                            .isLessThan(i == 0 ? 4096 : 64);
                }
                assertThat(device.touched().allocated()).as("given back").isZero();
            }
        }
    }
}
