package dev.ebb.grad;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.List;

/**
 * The sum of two cotangents of one value. Cotangents of sixteen-bit floats are summed in F32, so
 * that a sum of many is rounded only once, at the end: {@link CotangentCast}.
 */
record Accumulate() implements Op {
    @Override
    public String name() {
        return "accumulate";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        var type = inputs.getFirst();
        return List.of(type.with(type.dtype().compute()));
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        var shape = inputs.getFirst().shape();
        var view = View.contiguous(shape);
        return Kernel.Map.of(shape, List.of(view, view), Scalar.arg(0).add(Scalar.arg(1)));
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var dy = adjoints.of(node.outputs().getFirst());
        for (Value x : node.inputs()) {
            adjoints.add(x, CotangentCast.to(x.type().dtype(), dy, adjoints.graph()));
        }
    }
}
