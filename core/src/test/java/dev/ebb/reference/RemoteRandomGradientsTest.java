package dev.ebb.reference;

import dev.ebb.exec.Device;

class RemoteRandomGradientsTest extends RandomGradients {
    @Override
    protected Device device() {
        return new RemoteDevice();
    }
}
