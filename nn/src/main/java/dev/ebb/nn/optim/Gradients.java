package dev.ebb.nn.optim;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** What may be done to gradients before they are used. */
public final class Gradients {
    private Gradients() {}

    /** The root of the sum of all squares: f64 if a gradient is, else f32. */
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

    /** All gradients scaled down together, so that their norm is at most {@code most}. */
    public static <P> P clipped(P gradients, double most) {
        var norm = norm(gradients);
        var scale = norm.literal(most).div(norm.add(1e-6)).minimum(1);
        return Tensorwise.map(gradients, g -> g.cast(scale.dtype()).mul(scale).cast(g.dtype()));
    }

    /**
     * The mean of a loss and of its gradients over {@code parts} equal parts of the batch (axis 0
     * of every input), one after the other: as much memory as one part takes, and the sum, which is
     * f32 where gradients have sixteen bits.
     */
    public static <P> Ebb.ValueAndGrad<P> accumulated(
            Fn2<P, List<Tensor>, Tensor> loss, P params, List<Tensor> batch, int parts) {
        var one = Ebb.valueAndGrad(loss);
        var first = one.apply(params, part(batch, 0, parts));
        var value = wide(first.value());
        P sum = Tensorwise.map(first.grad(), Gradients::wide);
        for (int i = 1; i < parts; i++) {
            var next = one.apply(params, part(batch, i, parts));
            value = value.add(wide(next.value()));
            sum = Tensorwise.map(sum, next.grad(), (a, g) -> a.add(wide(g)));
        }
        return new Ebb.ValueAndGrad<>(
                value.div((double) parts).cast(first.value().dtype()),
                Tensorwise.map(sum, first.grad(), (a, g) -> a.div((double) parts).cast(g.dtype())));
    }

    private static Tensor wide(Tensor x) {
        return x.cast(x.dtype().compute());
    }

    private static List<Tensor> part(List<Tensor> batch, int i, int parts) {
        return batch.stream()
                .map(
                        x -> {
                            if (x.dim(0) % parts != 0) {
                                throw new IllegalArgumentException(
                                        "a batch of "
                                                + x.dim(0)
                                                + " does not divide into "
                                                + parts
                                                + " equal parts");
                            }
                            int size = x.dim(0) / parts;
                            return x.slice(0, i * size, (i + 1) * size);
                        })
                .toList();
    }
}
