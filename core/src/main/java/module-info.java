/** Reverse-mode automatic differentiation in the memory you name. */
module dev.ebb {
    requires static jdk.jfr;
    requires static org.jspecify;

    exports dev.ebb;
    exports dev.ebb.ir;
    exports dev.ebb.tensor;
    exports dev.ebb.plan;
    exports dev.ebb.exec;
    exports dev.ebb.solve;

    uses dev.ebb.tensor.Eager;
    uses dev.ebb.exec.DeviceProvider;

    provides dev.ebb.tensor.Eager with
            dev.ebb.EagerEngine;
}
