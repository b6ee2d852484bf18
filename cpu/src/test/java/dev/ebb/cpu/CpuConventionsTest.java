package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.Conventions;

class CpuConventionsTest extends Conventions {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }
}
