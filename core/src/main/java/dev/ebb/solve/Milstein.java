package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Tree;

import java.util.ArrayList;

/**
 * Milstein's method for {@code dy = drift(t, y) dt + diffusion(t, y) dW} with diagonal noise, in
 * Ito's calculus, with equal steps: strong order one. The diffusion of an element must depend on
 * that element alone; its derivative is taken by the method itself. Noise and gradients are as in
 * {@link EulerMaruyama}, which draws the same numbers from a key.
 */
public record Milstein(int steps) {

    public Milstein {
        Settings.steps(steps);
    }

    /** The state at {@code to}, from {@code first} at {@code from}; noise of the state's shape. */
    public <S> S solve(
            Fn2<Tensor, S, S> drift,
            Fn2<Tensor, S, S> diffusion,
            S first,
            double from,
            double to,
            Key key) {
        return NoiseLoop.run(
                steps,
                first,
                from,
                to,
                key,
                (t, y, noise, h) -> {
                    var spread = diffusion.apply(t, y);
                    var bend = Ebb.jvp((S x) -> diffusion.apply(t, x)).apply(y, spread).tangent();
                    var moved = NoiseLoop.moved(y, drift.apply(t, y), h, spread, noise);
                    var all = Tree.flatten(moved);
                    var bends = Tree.flatten(bend);
                    var draws = Tree.flatten(noise);
                    var next = new ArrayList<Tensor>();
                    for (int i = 0; i < all.size(); i++) {
                        // half of (dW^2 - dt)
                        var second = draws.get(i).square().sub(Math.abs(h)).mul(0.5);
                        next.add(all.get(i).add(bends.get(i).mul(second)));
                    }
                    return Tree.unflatten(moved, next);
                });
    }
}
