package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Op;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.linear.LinearOps;
import dev.ebb.tensor.network.ActivationOps;
import dev.ebb.tensor.network.NetworkOps;
import dev.ebb.tensor.op.CompareOps;
import dev.ebb.tensor.op.ElementOps;
import dev.ebb.tensor.op.FunctionOps;
import dev.ebb.tensor.op.IndexOps;
import dev.ebb.tensor.op.MoveOps;
import dev.ebb.tensor.op.ReduceOps;

import java.util.ArrayList;
import java.util.List;

/**
 * A value in a differentiable function: traced while the function is recorded, an {@link Array}
 * with data outside. The operations come by family from the interfaces this one extends.
 */
public sealed interface Tensor
        extends ReadOps,
                ElementOps,
                FunctionOps,
                ActivationOps,
                CompareOps,
                ReduceOps,
                MoveOps,
                IndexOps,
                LinearOps,
                NetworkOps
        permits Traced, Array {

    Type type();

    default Shape shape() {
        return type().shape();
    }

    default DType dtype() {
        return type().dtype();
    }

    default int rank() {
        return shape().rank();
    }

    /** The size of one axis, counted from the end if negative. */
    default int dim(int axis) {
        return shape().dim(shape().axis(axis));
    }

    /**
     * Applies any op, built in or the caller's own, to this tensor and others; its first output.
     */
    default Tensor apply(Op op, Tensor... others) {
        return applyAll(op, others).getFirst();
    }

    /** Applies any op, built in or the caller's own, to this tensor and others. */
    default List<Tensor> applyAll(Op op, Tensor... others) {
        var operands = new ArrayList<Tensor>();
        operands.add(this);
        operands.addAll(List.of(others));
        return Dispatch.apply(op, operands);
    }

    /** A constant scalar of this tensor's element type. */
    default Tensor literal(double value) {
        Literals.requireHeld(value, type());
        var type = new Type(dtype(), Shape.scalar());
        return Numbers.meet(type, value)
                .<Tensor>map(array -> array)
                .orElseGet(() -> Dispatch.beside(this, new Fill(type, value)));
    }
}
