package dev.ebb.cli.option;

import dev.ebb.Devices;
import dev.ebb.cpu.Cpu;
import dev.ebb.exec.Device;

import picocli.CommandLine.Option;

/** The option that selects a device. */
public final class DeviceArgument {
    /**
     * More than any current machine has processors; starting more threads would take longer than a
     * run.
     */
    private static final int MOST_THREADS = 1024;

    private static final String BEST = "best";

    @Option(
            names = "--device",
            paramLabel = "NAME",
            description =
                    "cpu, cuda, or best: a GPU if a usable one is present. 'ebb devices' lists"
                            + " them. Default: best, with --resume too.")
    private String name = BEST;

    public Device device() {
        if (name.equals(BEST)) return Devices.best();
        try {
            return Devices.named(name);
        } catch (IllegalArgumentException e) {
            throw new Refusal("--device " + name + ": " + e.getMessage());
        }
    }

    /** The device with this number of threads; zero uses the device's default. */
    public Device device(int threads) {
        if (threads == 0) return device();
        int processors = Runtime.getRuntime().availableProcessors();
        if (threads > Math.max(processors, MOST_THREADS))
            throw new Refusal(
                    ("--threads %s: at most %s can be asked for, and this machine has %s"
                                    + " processors")
                            .formatted(threads, MOST_THREADS, processors));
        if (name.equals(BEST) || name.equals("cpu")) return new Cpu(threads);
        throw new Refusal("--threads is for --device cpu; leave it out, or name that device");
    }
}
