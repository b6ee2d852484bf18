/** NVIDIA cards as a device: kernels generated as CUDA C++, the libraries called through FFM. */
module dev.ebb.cuda {
    requires transitive dev.ebb;
    requires static org.jspecify;

    exports dev.ebb.cuda;

    provides dev.ebb.exec.DeviceProvider with
            dev.ebb.cuda.CudaProvider;
}
