package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.ModelsReference;

import org.junit.jupiter.api.BeforeAll;

class CudaModelsReferenceTest extends ModelsReference {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
