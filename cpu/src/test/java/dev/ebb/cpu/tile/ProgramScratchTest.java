package dev.ebb.cpu.tile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;

class ProgramScratchTest {

    @Test
    void allWorkersTakeWhatEachTakes() {
        for (int seed = 0; seed < 50; seed++) {
            var random = new Random(seed);
            Set<KernelScratch> kernels = new LinkedHashSet<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                var scratch = KernelScratch.shared(1 + random.nextInt(20));
                for (var bank : ScratchArray.values())
                    scratch = scratch.and(bank, random.nextInt(1000));
                kernels.add(scratch);
            }
            var scratch = new ProgramScratch(kernels);
            long sum = 0;
            for (int workers = 0; workers < 30; workers++) {
                assertThat(scratch.bytes(workers)).isEqualTo(sum);
                sum += scratch.worker(workers).bytes();
            }
            assertThat(scratch.bytes(Integer.MAX_VALUE)).isEqualTo(sum);
        }
        assertThat(ProgramScratch.NONE.bytes(7)).isZero();
    }
}
