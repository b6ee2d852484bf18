package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

class WideSumsTest extends WideSums {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
