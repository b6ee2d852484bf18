package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.ModelsReference;

class CpuModelsReferenceTest extends ModelsReference {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }
}
