/**
 * NVIDIA GPUs as a device: kernels generated as CUDA C++; libraries called through the Foreign
 * Function API.
 */
module dev.ebb.cuda {
    requires transitive dev.ebb;
    requires static org.jspecify;

    exports dev.ebb.cuda;

    provides dev.ebb.exec.DeviceProvider with
            dev.ebb.cuda.CudaProvider;
}
