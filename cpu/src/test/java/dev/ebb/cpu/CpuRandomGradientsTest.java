package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.RandomGradients;

class CpuRandomGradientsTest extends RandomGradients {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }
}
