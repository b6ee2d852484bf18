package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.Conventions;

import org.junit.jupiter.api.BeforeAll;

class CudaConventionsTest extends Conventions {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
