package dev.ebb.tensor.op;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensors;

import java.util.Collections;
import java.util.List;

/**
 * The first operand with the second written over a box of it that begins at {@code start}. Where no
 * later op reads the first operand, only the box is written, in its memory.
 */
public record Overwrite(List<Integer> start) implements Differentiable {

    public Overwrite {
        start = List.copyOf(start);
    }

    @Override
    public String name() {
        return "overwrite" + start;
    }

    @Override
    public List<Type> infer(List<Type> in) {
        var whole = in.getFirst();
        var part = in.getLast();
        boolean fits = part.dtype() == whole.dtype() && part.shape().rank() == start.size();
        for (int d = 0; fits && d < start.size(); d++) {
            fits = start.get(d) >= 0 && start.get(d) + part.shape().dim(d) <= whole.shape().dim(d);
        }
        if (!fits || whole.shape().rank() != start.size()) {
            throw new ShapeException(
                    "overwrite: " + part + " at " + start + " is no part of " + whole);
        }
        return List.of(whole);
    }

    @Override
    public Kernel kernel(List<Type> in) {
        var whole = in.getFirst().shape();
        var one = Moves.ones(start.size());
        var zero = Collections.nCopies(start.size(), 0);
        return new Kernel.Assemble(
                whole,
                0,
                List.of(
                        new View.Part(whole, zero, one),
                        new View.Part(in.getLast().shape(), start, one)));
    }

    /** The part comes first, so that the rest of the cotangent can then be overwritten in place. */
    @Override
    public void vjp(Rule rule) {
        var part = rule.in(1);
        if (!part.dtype().isFloat()) return;
        var one = Moves.ones(start.size());
        if (rule.wants(1))
            rule.add(1, rule.dout(0).apply(new Moves.Slice(start, one, part.shape())));
        if (rule.wants(0))
            rule.add(0, rule.dout(0).apply(this, Tensors.zeros(part.dtype(), part.shape())));
    }
}
