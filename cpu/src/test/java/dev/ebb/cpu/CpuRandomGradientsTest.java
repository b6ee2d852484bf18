package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.RandomGradients;

class CpuRandomGradientsTest extends RandomGradients {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }

    /** The rules of derivatives are the Reference's affair, who takes more. */
    @Override
    protected int programs() {
        return 100;
    }
}
