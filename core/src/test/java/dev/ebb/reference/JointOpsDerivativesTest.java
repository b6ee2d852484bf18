package dev.ebb.reference;

import dev.ebb.exec.Device;
import dev.ebb.exec.reference.Reference;

/**
 * The derivatives of all ops where several folds of the same elements, and several results of the
 * same rows, are one kernel, as on a GPU.
 */
class JointOpsDerivativesTest extends OpsDerivatives {
    private static final Device DEVICE = new Guarded(new Reference(), 0x5A).joiningFolds();

    @Override
    protected Device device() {
        return DEVICE;
    }
}
