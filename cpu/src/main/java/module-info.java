/** The CPU device: Vector API kernels whose bits never change. */
module dev.ebb.cpu {
    requires dev.ebb;
    requires jdk.incubator.vector;
    requires static org.jspecify;
}
