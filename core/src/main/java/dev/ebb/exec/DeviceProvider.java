package dev.ebb.exec;

/**
 * Looks for one kind of device on this machine. A module with a device provides this service; its
 * constructor must never fail, whatever the machine lacks.
 */
public interface DeviceProvider {

    /** What this kind is called, in lower case, such as {@code cpu}. */
    String name();

    /** Of several kinds that work, the one with the highest rank is taken. */
    int rank();

    /** Looks for the device. */
    Found find();

    /** What came of looking. */
    sealed interface Found {}

    /**
     * A device that works.
     *
     * @param description what it is, in one line
     */
    record Here(Device device, String description) implements Found {}

    /**
     * No device.
     *
     * @param reason what was looked for and where, and what to install, in one sentence
     */
    record Missing(String reason) implements Found {}
}
