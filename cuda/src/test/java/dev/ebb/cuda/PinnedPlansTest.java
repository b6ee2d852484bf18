package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Host;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Plans with pinned host memory by the costs of a GPU; nothing is run. */
class PinnedPlansTest {
    @Test
    void half_of_the_least_memory_takes_at_most_half_as_long_again(@TempDir Path folder) {
        var cuda = new Cuda(new SimulatedGpu(folder), Precision.TF32);
        var gpt = DeviceGpt.gpt("GPT", new DeviceGpt.Sizes(12, 512, 8, 512, 16, 8192), DType.BF16);
        var step = Ebb.stepper(gpt.step()).on(cuda);
        long least = step.plan(gpt.state(), gpt.batch()).leastBytes();
        double alone = step.within(Budget.bytes(least)).plan(gpt.state(), gpt.batch()).cost();
        var half = Budget.bytes(least / 2).with(Host.pinned(32L << 30));
        var beside = step.within(half).plan(gpt.state(), gpt.batch());
        assertThat(beside.peakBytes()).isLessThanOrEqualTo(least / 2);
        assertThat(beside.cost()).isLessThan(1.5 * alone);

        // states updated together can stay in memory while other values are offloaded
        var all = Budget.bytes(least).with(Host.pinned(32L << 30));
        assertThat(step.within(all).plan(gpt.state(), gpt.batch()).cost()).isLessThan(0.95 * alone);
    }
}
