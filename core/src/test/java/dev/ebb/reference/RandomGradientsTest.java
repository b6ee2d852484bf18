package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

class RandomGradientsTest extends RandomGradients {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
