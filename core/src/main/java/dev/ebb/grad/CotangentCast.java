package dev.ebb.grad;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.List;

/**
 * Casts a sum of cotangents, which may be of a wider type, to the type of the value it belongs to.
 */
record CotangentCast(DType dtype) implements Op {

    /** {@code sum} as {@code dtype}, itself if it is that already. */
    static Value to(DType dtype, Value sum, Graph.Builder graph) {
        return sum.type().dtype() == dtype ? sum : graph.emit(new CotangentCast(dtype), sum);
    }

    @Override
    public String name() {
        return "round(" + dtype + ")";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        return List.of(inputs.getFirst().with(dtype));
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        var shape = inputs.getFirst().shape();
        return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0).cast(dtype));
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        var x = node.inputs().getFirst();
        var dy = adjoints.of(node.outputs().getFirst());
        adjoints.add(x, to(x.type().dtype(), dy, adjoints.graph()));
    }
}
