package dev.ebb.reference;

import dev.ebb.exec.Device;

class RemoteOpsReferenceTest extends OpsReference {
    @Override
    protected Device device() {
        return new RemoteDevice();
    }
}
