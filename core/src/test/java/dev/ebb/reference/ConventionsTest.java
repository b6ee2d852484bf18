package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

class ConventionsTest extends Conventions {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
