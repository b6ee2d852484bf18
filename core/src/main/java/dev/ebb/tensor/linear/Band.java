package dev.ebb.tensor.linear;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.List;

/** Matrices with zeros on one side of diagonal {@code k}, which stays. */
record Band(Triangle half, int k) implements Differentiable {

    @Override
    public String name() {
        return (half == Triangle.LOWER ? "tril(" : "triu(") + k + ")";
    }

    @Override
    public List<Type> infer(List<Type> in) {
        if (in.getFirst().shape().rank() < 2) {
            throw new ShapeException(
                    name() + " needs matrices, [..., rows, columns]; this is " + in.getFirst());
        }
        return in;
    }

    @Override
    public Kernel kernel(List<Type> in) {
        var x = in.getFirst();
        int rank = x.shape().rank();
        var row = new Scalar.Index(rank - 2);
        var column = new Scalar.Index(rank - 1);
        var edge = row.add(new Scalar.Lit(DType.I32, k));
        var inside = half == Triangle.LOWER ? column.le(edge) : column.ge(edge);
        var body = inside.select(Scalar.arg(0), new Scalar.Lit(x.dtype().compute(), 0));
        return Kernel.Map.of(x.shape(), List.of(View.contiguous(x.shape())), body);
    }

    @Override
    public void vjp(Rule rule) {
        if (rule.in(0).dtype().isFloat()) rule.add(0, rule.dout(0).apply(this));
    }
}
