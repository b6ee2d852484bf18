package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

class SpecialValuesTest extends SpecialValues {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
