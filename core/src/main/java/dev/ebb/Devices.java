package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Reference;

import java.util.ServiceLoader;

/** The devices there are. */
public final class Devices {
    private Devices() {}

    /**
     * The fastest device on the module or class path; the Reference device, said aloud, when there
     * is no other.
     */
    public static Device best() {
        return Best.DEVICE;
    }

    /** The slow device that defines what every kernel means. */
    public static Device reference() {
        return new Reference();
    }

    private static final class Best {
        static final Device DEVICE = find();

        private static Device find() {
            return ServiceLoader.load(Device.class, Device.class.getClassLoader())
                    .findFirst()
                    .orElseGet(
                            () -> {
                                System.getLogger("dev.ebb")
                                        .log(
                                                System.Logger.Level.WARNING,
                                                "no fast device found: running on the slow"
                                                    + " Reference device; add ebb-cpu to the class"
                                                    + " path");
                                return new Reference();
                            });
        }
    }
}
