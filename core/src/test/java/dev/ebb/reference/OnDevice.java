package dev.ebb.reference;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.tensor.Tensor;

/** Functions and their slopes, computed on a device. */
abstract class OnDevice {
    protected abstract Device device();

    double[] value(Fn<Tensor, Tensor> f, Tensor x) {
        try (var compiled = Ebb.compile(f).on(device())) {
            return compiled.apply(x).toDoubles();
        }
    }

    /** The gradient of the sum of all values. */
    double[] slope(Fn<Tensor, Tensor> f, Tensor x) {
        return value(t -> Ebb.grad((Tensor u) -> f.apply(u).sum()).apply(t), x);
    }
}
