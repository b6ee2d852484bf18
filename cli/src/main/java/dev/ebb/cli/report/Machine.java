package dev.ebb.cli.report;

import dev.ebb.exec.Device;

import java.util.Locale;

/** A short description of the machine on which a run is made. */
public final class Machine {
    private Machine() {}

    public static String text(Device device) {
        return System.getProperty("os.name")
                + " "
                + System.getProperty("os.arch")
                + ", "
                + Runtime.getRuntime().availableProcessors()
                + " processors, Java "
                + Runtime.version().feature()
                + ", device "
                + device.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }
}
