package dev.ebb.cuda;

import dev.ebb.exec.Device;
import dev.ebb.reference.OpsDerivatives;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
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
