package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.OpsReference;

class CpuOpsReferenceTest extends OpsReference {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }
}
