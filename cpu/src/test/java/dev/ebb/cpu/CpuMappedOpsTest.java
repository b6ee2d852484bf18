package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.MappedOps;

final class CpuMappedOpsTest extends MappedOps {
    private static final Cpu CPU = new Cpu();

    @Override
    protected Device device() {
        return CPU;
    }
}
