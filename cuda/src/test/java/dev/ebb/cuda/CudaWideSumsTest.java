package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.WideSums;

import org.junit.jupiter.api.BeforeAll;

class CudaWideSumsTest extends WideSums {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
