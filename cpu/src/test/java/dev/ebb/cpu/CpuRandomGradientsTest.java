package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.reference.RandomGradients;

import java.util.stream.LongStream;

class CpuRandomGradientsTest extends RandomGradients {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }

    /** Others than those of the reference: that derivatives are right it says of its own. */
    @Override
    protected LongStream seeds() {
        return LongStream.range(200, 300);
    }
}
