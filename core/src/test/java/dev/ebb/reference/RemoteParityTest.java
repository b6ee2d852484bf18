package dev.ebb.reference;

import dev.ebb.exec.Device;

class RemoteParityTest extends DeviceParity {
    @Override
    protected Device device() {
        return new RemoteDevice();
    }
}
