package dev.ebb.nn;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * One layer of long short-term memory over [batch, time, inputs]: a {@link Loop} over time, so the
 * budget determines how many states of a long sequence are kept for the derivative. The weights of
 * the gates are concatenated in the order input, forget, cell, output.
 *
 * @param in [inputs, 4 hidden]
 * @param recurrent [hidden, 4 hidden]
 */
public record Lstm(Tensor in, Tensor recurrent, Tensor bias) {

    /** The state that one step passes to the next. */
    public record State(Tensor hidden, Tensor cell) {}

    /** All hidden states, [batch, time, hidden], and the last state. */
    public record Run(Tensor out, State last) {}

    public static Lstm of(int inputs, int hidden, Seed seed) {
        var init = Init.linear(hidden);
        return new Lstm(
                init.of(Shape.of(inputs, 4 * hidden), seed.of("in")),
                init.of(Shape.of(hidden, 4 * hidden), seed.of("recurrent")),
                ConstantArrays.zeros(Shape.of(4 * hidden)));
    }

    public int hidden() {
        return recurrent.dim(0);
    }

    /** Starts with a state of zeros. */
    public Run apply(Tensor x) {
        var zeros = Tensors.zeros(x.dtype(), Shape.of(x.dim(0), hidden()));
        return apply(x, new State(zeros, zeros));
    }

    public Run apply(Tensor x, State first) {
        var driven = x.permute(1, 0, 2).matmul(in).add(bias);
        var run =
                Loop.scan(
                        first,
                        driven,
                        (State s, Tensor d) -> {
                            var next = step(d, s);
                            return new Next<>(next, next.hidden);
                        });
        return new Run(run.stacked().permute(1, 0, 2), run.carry());
    }

    /** One step; {@code driven} is the product of the input with its weights, plus the bias. */
    State step(Tensor driven, State s) {
        var gates = driven.add(s.hidden.matmul(recurrent)).chunk(4, -1);
        var kept = gates.get(1).sigmoid().mul(s.cell);
        var cell = kept.add(gates.get(0).sigmoid().mul(gates.get(2).tanh()));
        return new State(gates.get(3).sigmoid().mul(cell.tanh()), cell);
    }
}
