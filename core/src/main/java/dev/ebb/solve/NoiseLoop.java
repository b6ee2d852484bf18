package dev.ebb.solve;

import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;

/** A loop of equal steps whose noise is drawn from a key folded with the number of the step. */
final class NoiseLoop {
    private NoiseLoop() {}

    /** One step of size {@code h}; {@code noise} has variance {@code |h|}. */
    interface Step<S> {
        S of(Tensor t, S y, S noise, double h);
    }

    private record Carry<S>(Tensor count, S y) {}

    static <S> S run(int steps, S first, double from, double to, Key key, Step<S> step) {
        double h = (to - from) / steps;
        var type = Combination.type(first);
        var start = new Carry<>(Tensors.zeros(DType.I64, Shape.scalar()), first);
        return Loop.repeat(
                        steps,
                        start,
                        c -> {
                            var t = c.count.cast(type).mul(h).add(from);
                            var noise = noise(key.fold(c.count), c.y, Math.sqrt(Math.abs(h)));
                            return new Carry<>(c.count.add(1), step.of(t, c.y, noise, h));
                        })
                .y();
    }

    private static <S> S noise(Key key, S like, double scale) {
        var leaves = Tree.flatten(like);
        var keys = key.split(leaves.size());
        var drawn = new ArrayList<Tensor>();
        for (int i = 0; i < leaves.size(); i++) {
            drawn.add(keys.get(i).normal(leaves.get(i).type()).mul(scale));
        }
        return Tree.unflatten(like, drawn);
    }

    /** {@code y + h * drift + spread * noise}. */
    static <S> S moved(S y, S drift, double h, S spread, S noise) {
        var all = Tree.flatten(Combination.of(y, List.of(drift), h));
        var spreads = Tree.flatten(spread);
        var draws = Tree.flatten(noise);
        var next = new ArrayList<Tensor>();
        for (int i = 0; i < all.size(); i++) {
            next.add(all.get(i).add(spreads.get(i).mul(draws.get(i))));
        }
        return Tree.unflatten(y, next);
    }
}
