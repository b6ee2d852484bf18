package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.RandomGradients;

import org.junit.jupiter.api.BeforeAll;

class CudaRandomGradientsTest extends RandomGradients {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
