package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A loop whose body takes more than 2 GiB runs, in a separate process, if the machine has the
 * memory.
 */
class LargeWorkspaceRunTest {
    private static final int N = 23_500;

    /** The child process. */
    public static final class Child {
        private Child() {}

        public static void main(String[] args) {
            var ones = new float[N];
            Arrays.fill(ones, 1);
            try (var cpu = new Cpu(2);
                    var loop = Ebb.compile(Child::grow).on(cpu)) {
                var last = (Array) loop.apply(Array.of(ones));
                System.out.println(last.data().get(0) + " " + last.data().get(N - 1));
                System.out.println(loop.report().measuredBytes() > Integer.MAX_VALUE);
            }
        }

        private static Tensor grow(Tensor x) {
            return Loop.repeat(2, x, c -> c.add(c.reshape(N, 1).matmul(c.reshape(1, N)).mean()));
        }
    }

    @Test
    void runs() throws Exception {
        assumeThat(Budget.free().resolve(0)).isGreaterThan(6L << 30);
        var child =
                new ChildJvm("-XX:MaxDirectMemorySize=4g")
                        .running(Child.class)
                        .redirectErrorStream(true)
                        .start();
        var said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(said).isZero();
        assertThat(said).contains("6.0 6.0").contains("true");
    }
}
