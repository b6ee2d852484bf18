package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

class ModelsReferenceTest extends ModelsReference {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
