package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.OpsDerivatives;

import org.junit.jupiter.api.BeforeAll;

class CudaOpsDerivativesTest extends OpsDerivatives {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
