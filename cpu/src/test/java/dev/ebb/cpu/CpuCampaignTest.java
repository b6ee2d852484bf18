package dev.ebb.cpu;

import dev.ebb.reference.Guarded;
import dev.ebb.reference.Trial;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Some programs of the campaign with 1 to 4 threads, compared with the bits of one thread. */
class CpuCampaignTest {
    private static final int PROGRAMS = 14;
    private static final int THREADS = 4;
    private static final long FIRST = 1_000_001;

    @TempDir Path folder;

    @Test
    void everyPromiseHoldsOfRandomPrograms() {
        try (var one = new Cpu(1)) {
            for (int threads = 1; threads <= THREADS; threads++) {
                try (var cpu = new Cpu(threads)) {
                    for (int i = threads - 1; i < PROGRAMS; i += THREADS) {
                        var device = new Guarded(cpu, i % 2 == 0 ? 0xa5 : 0x5a);
                        var joining = i / 2 % 2 == 0 ? device : device.joiningFolds();
                        new Trial(FIRST + i, i / THREADS % 2 == 0, one, joining, folder).run();
                    }
                }
            }
        }
    }

    /**
     * A loop that may keep states on the disk but has room for all of its tapes: no file is
     * created.
     */
    @Test
    void statesThatMayLieOnTheDiskNeedNot() {
        try (var one = new Cpu(1);
                var cpu = new Cpu(3)) {
            new Trial(5623, one, new Guarded(cpu, 0x5a), folder).run();
        }
    }
}
