package dev.ebb;

import dev.ebb.exec.reference.Reference;
import dev.ebb.reference.Guarded;
import dev.ebb.reference.Trial;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The first programs of the campaign, on the device that defines what kernels mean. */
class CampaignTest {
    private static final int PROGRAMS = 24;

    @TempDir Path folder;

    @Test
    void everyPromiseHoldsOfRandomPrograms() {
        for (long seed = 1; seed <= PROGRAMS; seed++) {
            var device = new Guarded(new Reference(), seed % 2 == 0 ? 0xa5 : 0x5a);
            new Trial(seed, new Reference(), device, folder).run();
        }
    }
}
