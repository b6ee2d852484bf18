package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.OpsReference;

import org.junit.jupiter.api.BeforeAll;

class CudaOpsReferenceTest extends OpsReference {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
