package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;

/** Operations on gradients before an update. */
public final class Gradients {
    private Gradients() {}

    /** The Euclidean norm of all gradients together: f64 if a gradient is, else f32. */
    public static Tensor norm(Object gradients) {
        var all = Tensorwise.list(gradients);
        boolean doubles = all.stream().anyMatch(g -> g.dtype() == DType.F64);
        var wide = doubles ? DType.F64 : DType.F32;
        return all.stream()
                .map(g -> g.cast(wide).square().sum())
                .reduce(Tensor::add)
                .orElseThrow(() -> new IllegalArgumentException("there are no gradients"))
                .sqrt();
    }

    /** All gradients scaled by one factor, so that their norm is at most {@code most}. */
    public static <P> P clipped(P gradients, double most) {
        if (!(most > 0))
            throw new IllegalArgumentException(
                    "gradients clipped to a norm of " + most + "; it must be above zero");
        var norm = norm(gradients);
        var scale = norm.literal(most).div(norm.add(1e-6)).minimum(1);
        return Tensorwise.map(gradients, g -> g.cast(scale.dtype()).mul(scale).cast(g.dtype()));
    }
}
