package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.reference.Reference;
import dev.ebb.reference.Guarded;
import dev.ebb.reference.RemoteDevice;
import dev.ebb.reference.Trial;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.EnumSet;

/** The first programs of the campaign, on the device that defines what kernels mean. */
class CampaignTest {
    private static final int PROGRAMS = 16;

    @TempDir Path folder;

    @Test
    void everyPromiseHoldsOfRandomPrograms() {
        var ways = EnumSet.noneOf(Trial.Way.class);
        for (long seed = 1; seed <= PROGRAMS; seed++) {
            var device = new Guarded(new Reference(), seed % 2 == 0 ? 0xa5 : 0x5a);
            var joining = seed / 2 % 2 == 0 ? device : device.joiningFolds();
            var tested = RemoteDevice.like(Devices.best(), joining);
            ways.add(new Trial(seed, new Reference(), tested, folder).run());
        }
        assertThat(ways).containsExactly(Trial.Way.values());
    }
}
