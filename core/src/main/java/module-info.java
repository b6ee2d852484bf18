/** Reverse-mode automatic differentiation in the memory you name. */
@SuppressWarnings("module") // a device module need not be there when this one is compiled
module dev.ebb {
    requires static jdk.jfr;
    requires static org.jspecify;

    exports dev.ebb;
    exports dev.ebb.exec;
    exports dev.ebb.exec.loop to
            dev.ebb.cpu;
    exports dev.ebb.exec.program;
    exports dev.ebb.exec.reference;
    exports dev.ebb.exec.timing;
    exports dev.ebb.ir;
    exports dev.ebb.ir.math;
    exports dev.ebb.plan;
    exports dev.ebb.plan.cache;
    exports dev.ebb.plan.cost;
    exports dev.ebb.plan.schedule;
    exports dev.ebb.science;
    exports dev.ebb.solve;
    exports dev.ebb.tensor;
    exports dev.ebb.tensor.grid;
    exports dev.ebb.tensor.linear;
    exports dev.ebb.tensor.network;
    exports dev.ebb.tensor.op;

    uses dev.ebb.tensor.Eager;
    uses dev.ebb.exec.DeviceProvider;

    provides dev.ebb.tensor.Eager with
            dev.ebb.EagerEngine;
}
