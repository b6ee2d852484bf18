package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.DeviceParity;

import org.junit.jupiter.api.BeforeAll;

class CudaDeviceParityTest extends DeviceParity {
    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @Override
    protected Device device() {
        return OnCard.device();
    }
}
