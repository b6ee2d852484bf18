package dev.ebb.cpu.tile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;

class NeedsTest {

    @Test
    void allWorkersTakeWhatEachTakes() {
        for (int seed = 0; seed < 50; seed++) {
            var random = new Random(seed);
            Set<Need> kernels = new LinkedHashSet<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                var need = Need.shared(1 + random.nextInt(20));
                for (var bank : Bank.values()) need = need.and(bank, random.nextInt(1000));
                kernels.add(need);
            }
            var needs = new Needs(kernels);
            long sum = 0;
            for (int workers = 0; workers < 30; workers++) {
                assertThat(needs.bytes(workers)).isEqualTo(sum);
                sum += needs.worker(workers).bytes();
            }
            assertThat(needs.bytes(Integer.MAX_VALUE)).isEqualTo(sum);
        }
        assertThat(Needs.NONE.bytes(7)).isZero();
    }
}
