package dev.ebb.reference;

import dev.ebb.exec.Device;
import dev.ebb.exec.reference.Reference;

final class MappedOpsTest extends MappedOps {
    @Override
    protected Device device() {
        return new Reference();
    }
}
