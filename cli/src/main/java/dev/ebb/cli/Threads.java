package dev.ebb.cli;

import dev.ebb.Devices;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;

/** The device with as many threads as asked for. */
final class Threads {
    private Threads() {}

    /** Zero threads: one for each core. */
    static Device device(int threads) {
        return threads == 0 ? Devices.best() : new Cpu(threads);
    }
}
