package dev.ebb.solve;

import dev.ebb.Fn2;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

/**
 * Euler and Maruyama's method for {@code dy = drift(t, y) dt + diffusion(t, y) dW}, element by
 * element, with equal steps and Ito's calculus: strong order one half, weak order one. The noise is
 * a function of the key, the step and the element, so a recomputed step draws what it drew first,
 * and none of it is kept. Gradients are those along the paths drawn.
 */
public record EulerMaruyama(int steps) {

    public EulerMaruyama {
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
                (t, y, noise, h) ->
                        NoiseLoop.moved(y, drift.apply(t, y), h, diffusion.apply(t, y), noise));
    }
}
