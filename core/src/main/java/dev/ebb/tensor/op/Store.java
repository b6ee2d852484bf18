package dev.ebb.tensor.op;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.List;

/**
 * The second operand, stored in the memory of the first: so the next version of a state takes over
 * the memory of the version before. Fused with the update that computes the next version, it makes
 * the update run in place.
 */
public record Store() implements Differentiable {

    @Override
    public List<Type> infer(List<Type> in) {
        if (!in.getFirst().equals(in.getLast())) {
            throw new ShapeException(
                    ("a state of type %s cannot become %s: a step must return its state with the"
                                    + " same shapes and element types")
                            .formatted(in.getFirst(), in.getLast()));
        }
        return List.of(in.getFirst());
    }

    @Override
    public Kernel kernel(List<Type> in) {
        var shape = in.getFirst().shape();
        var view = View.contiguous(shape);
        return Kernel.Map.of(shape, List.of(view, view), Scalar.arg(1));
    }

    @Override
    public void vjp(Rule rule) {
        rule.add(1, rule.dout(0));
    }
}
