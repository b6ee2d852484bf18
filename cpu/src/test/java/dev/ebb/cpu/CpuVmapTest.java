package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.By;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The uses of vmap: gradients of single examples, Jacobians in chunks. */
final class CpuVmapTest {
    private static final Cpu CPU = new Cpu();
    private static final int EXAMPLES = 1000;

    /** A classifier of sequences of 32 vectors. */
    record Net(Tensor in, Tensor hidden, Tensor out) {
        static Net of() {
            return new Net(noise(1, 32, 64), noise(2, 64, 64), noise(3, 64, 10));
        }

        /** The loss of sequences [..., 32, 32]. */
        Tensor loss(Tensor x) {
            var h = x.matmul(in).tanh().matmul(hidden).tanh();
            var scores = h.mean(List.of(-2), false).matmul(out);
            return scores.logSoftmax(-1).square().sum(List.of(-1), false);
        }
    }

    private static Tensor noise(long seed, int... dims) {
        return Key.of(seed).normal(Type.of(DType.F32, dims)).mul(0.2);
    }

    @Test
    void gradientsOfSingleExamplesHaveTheBitsOfEachAlone() {
        var net = Net.of();
        var x = noise(4, EXAMPLES, 32, 32);
        try (var each = Ebb.compile(Ebb.vmap(Ebb.grad(Net::loss), By.second())).on(CPU);
                var one = Ebb.compile(Ebb.grad(Net::loss)).on(CPU)) {
            var all = each.apply(net, x);
            for (int i : new int[] {0, EXAMPLES / 2, EXAMPLES - 1}) {
                var alone = one.apply(net, x.at(0, i));
                assertThat(all.in().at(0, i).sameBits(alone.in())).isTrue();
                assertThat(all.hidden().at(0, i).sameBits(alone.hidden())).isTrue();
                assertThat(all.out().at(0, i).sameBits(alone.out())).isTrue();
            }
        }
    }

    @Test
    void aLargeJacobianInATenthOfItsMemory() {
        var w = noise(5, 10, 10);
        Fn<Tensor, Tensor> f =
                x -> {
                    var h = x.unsqueeze(1).mul(w.at(0, 0)).tanh().matmul(w).tanh().matmul(w);
                    return h.sum(List.of(1), false).add(x.cumsum(0).mul(0.01));
                };
        var x = noise(6, EXAMPLES);
        try (var all = Ebb.compile(Ebb.jacobian(f)).on(CPU)) {
            var plan = all.plan(x);
            long tenth = plan.peakBytes() / 10;
            assertThat(plan.leastBytes()).isGreaterThan(tenth);
            var expected = all.apply(x);
            assertThat(expected.shape().dims()).containsExactly(EXAMPLES, EXAMPLES);
            try (var few = Ebb.compile(Ebb.jacobian(f)).on(CPU).within(Budget.bytes(tenth))) {
                assertThat(few.apply(x).sameBits(expected)).isTrue();
                assertThat(few.report().measuredBytes())
                        .isEqualTo(few.report().promisedBytes())
                        .isLessThanOrEqualTo(tenth);
            }
        }
    }
}
