package dev.ebb.cli;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

/** The device with as many threads as asked for. */
final class Threads {
    private Threads() {}

    /** Zero threads: one for each core. */
    static Device device(int threads) {
        return Devices.best();
    }
}
