package dev.ebb.cpu;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.sequence.SequenceCompiler;
import dev.ebb.plan.Threads;

/** Devices on which generated methods take over from kernels after a stated number of runs. */
final class SequenceDevices {
    private SequenceDevices() {}

    static VectorCpu cpu(int threads, int after) {
        return new VectorCpu(
                new Threads(threads, true), new FusedLoops(), new SequenceCompiler(after));
    }

    /** After the first run, with generated loops that are still being warmed up. */
    static VectorCpu warming() {
        return new VectorCpu(new Threads(1, true), FusedLoops.early(), new SequenceCompiler(0));
    }

    /** After the first run, with generated loops that are used immediately. */
    static VectorCpu atOnce(int threads) {
        return new VectorCpu(
                new Threads(threads, true), FusedLoops.eager(), new SequenceCompiler(0));
    }
}
