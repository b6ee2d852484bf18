package dev.ebb.nn;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * One layer of gated recurrent units over [batch, time, inputs]: a {@link Loop} over time. The
 * weights of the gates are concatenated in the order reset, update, new.
 *
 * @param in [inputs, 3 hidden]
 * @param recurrent [hidden, 3 hidden]
 * @param inBias added to the product with the input
 * @param recurrentBias added to the product with the hidden state; the reset gate scales it too
 */
public record Gru(Tensor in, Tensor recurrent, Tensor inBias, Tensor recurrentBias) {

    /** All hidden states, [batch, time, hidden], and the last one. */
    public record Run(Tensor out, Tensor last) {}

    public static Gru of(int inputs, int hidden, Seed seed) {
        var init = Init.linear(hidden);
        var bias = ConstantArrays.zeros(Shape.of(3 * hidden));
        return new Gru(
                init.of(Shape.of(inputs, 3 * hidden), seed.of("in")),
                init.of(Shape.of(hidden, 3 * hidden), seed.of("recurrent")),
                bias,
                bias);
    }

    /** Starts with a state of zeros. */
    public Run apply(Tensor x) {
        return apply(x, Tensors.zeros(x.dtype(), Shape.of(x.dim(0), recurrent.dim(0))));
    }

    public Run apply(Tensor x, Tensor first) {
        var driven = x.permute(1, 0, 2).matmul(in).add(inBias);
        var run =
                Loop.scan(
                        first,
                        driven,
                        (Tensor hidden, Tensor d) -> {
                            var next = step(d, hidden);
                            return new Next<>(next, next);
                        });
        return new Run(run.stacked().permute(1, 0, 2), run.carry());
    }

    private Tensor step(Tensor driven, Tensor hidden) {
        var a = driven.chunk(3, -1);
        var b = hidden.matmul(recurrent).add(recurrentBias).chunk(3, -1);
        var reset = a.get(0).add(b.get(0)).sigmoid();
        var update = a.get(1).add(b.get(1)).sigmoid();
        var fresh = a.get(2).add(reset.mul(b.get(2))).tanh();
        return fresh.add(update.mul(hidden.sub(fresh)));
    }
}
