package dev.ebb.cpu;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.straight.StraightPrograms;
import dev.ebb.plan.Threads;

/** Devices on which generated methods take over from kernels after a stated number of runs. */
final class StraightDevices {
    private StraightDevices() {}

    static VectorCpu cpu(int threads, int after) {
        return new VectorCpu(
                new Threads(threads, true), new FusedLoops(), new StraightPrograms(after));
    }

    /** After the first run, with generated loops that are still being warmed up. */
    static VectorCpu warming() {
        return new VectorCpu(new Threads(1, true), FusedLoops.early(), new StraightPrograms(0));
    }

    /** After the first run, with generated loops that are used immediately. */
    static VectorCpu atOnce(int threads) {
        return new VectorCpu(
                new Threads(threads, true), FusedLoops.eager(), new StraightPrograms(0));
    }
}
