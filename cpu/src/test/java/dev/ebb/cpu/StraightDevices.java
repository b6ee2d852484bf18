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
}
