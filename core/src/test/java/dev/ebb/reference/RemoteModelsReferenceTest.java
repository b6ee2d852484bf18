package dev.ebb.reference;

import dev.ebb.exec.Device;

class RemoteModelsReferenceTest extends ModelsReference {
    @Override
    protected Device device() {
        return new RemoteDevice();
    }
}
