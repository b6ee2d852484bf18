package dev.ebb.reference;

import dev.ebb.exec.DeviceProvider;

/** Makes the remote device the one that tests run on. */
public final class RemoteDeviceProvider implements DeviceProvider {

    public RemoteDeviceProvider() {}

    @Override
    public String name() {
        return "remote";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Found find() {
        return new Here(new RemoteDevice(), "the reference on a thread of its own");
    }
}
