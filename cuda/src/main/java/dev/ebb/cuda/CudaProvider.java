package dev.ebb.cuda;

import dev.ebb.exec.DeviceProvider;

/** Provides the first NVIDIA GPU as a device. */
public final class CudaProvider implements DeviceProvider {

    public CudaProvider() {}

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public int rank() {
        return 2;
    }

    @Override
    public Found find() {
        try {
            var cuda = new Cuda(0);
            return new Here(cuda, cuda.describe() + ", products of f32 in " + cuda.precision());
        } catch (CudaException e) {
            return new Missing(String.valueOf(e.getMessage()));
        }
    }
}
