package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

class OpsReferenceTest extends OpsReference {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
