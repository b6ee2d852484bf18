package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.SpecialValues;

import org.junit.jupiter.api.BeforeAll;

class CudaSpecialValuesTest extends SpecialValues {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
