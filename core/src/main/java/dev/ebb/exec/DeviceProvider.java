package dev.ebb.exec;

/**
 * Looks for one kind of device on this machine. A module with a device provides this service; its
 * constructor must never fail, whatever the machine lacks.
 */
public interface DeviceProvider {

    /** The name of this kind of device in lower case, such as {@code cpu}. */
    String name();

    /** Of several kinds that work, the one with the highest rank is taken. */
    int rank();

    /** Looks for the device. */
    Found find();

    /** The result of looking for a device. */
    sealed interface Found {}

    /**
     * A usable device.
     *
     * @param description what it is, in one line
     */
    record Here(Device device, String description) implements Found {}

    /**
     * No device.
     *
     * @param reason one sentence that says what was looked for, where, and what to install
     */
    record Missing(String reason) implements Found {}
}
