package dev.ebb.reference;

import dev.ebb.Devices;
import dev.ebb.exec.Device;

final class MappedOpsTest extends MappedOps {
    @Override
    protected Device device() {
        return Devices.best();
    }
}
