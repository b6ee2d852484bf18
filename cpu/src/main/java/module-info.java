/** The CPU device: Vector API kernels whose bits never change. */
module dev.ebb.cpu {
    requires transitive dev.ebb;
    requires jdk.incubator.vector;
    requires static org.jspecify;

    exports dev.ebb.cpu;

    provides dev.ebb.exec.DeviceProvider with
            dev.ebb.cpu.CpuProvider;
}
