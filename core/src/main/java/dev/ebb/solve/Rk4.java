package dev.ebb.solve;

import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * The classical Runge-Kutta method of order four with equal steps: {@code dy/dt = f(t, y)}. One
 * loop in the graph, so its adjoint is the exact derivative of the steps it takes, and how many
 * states are kept for it is a matter of memory alone.
 */
public record Rk4(int steps) {

    public Rk4 {
        Settings.steps(steps);
    }

    private record Carry<S>(Tensor count, S y) {}

    /** The state at {@code to}, from {@code first} at {@code from}. */
    public <S> S solve(Fn2<Tensor, S, S> f, S first, double from, double to) {
        double h = (to - from) / steps;
        var type = Combination.type(first);
        var start = new Carry<>(Tensors.zeros(DType.I64, Shape.scalar()), first);
        return Loop.repeat(
                        steps,
                        start,
                        c -> {
                            var t = c.count().cast(type).mul(h).add(from);
                            return new Carry<>(c.count().add(1), step(f, t, c.y(), h));
                        })
                .y();
    }

    private static <S> S step(Fn2<Tensor, S, S> f, Tensor t, S y, double h) {
        var k1 = f.apply(t, y);
        var k2 = f.apply(t.add(h / 2), Combination.of(y, List.of(k1), h / 2));
        var k3 = f.apply(t.add(h / 2), Combination.of(y, List.of(k2), h / 2));
        var k4 = f.apply(t.add(h), Combination.of(y, List.of(k3), h));
        return Combination.of(y, List.of(k1, k2, k3, k4), h / 6, h / 3, h / 3, h / 6);
    }
}
