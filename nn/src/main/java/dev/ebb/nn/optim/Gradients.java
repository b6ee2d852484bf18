package dev.ebb.nn.optim;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Tensorwise;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** What may be done to gradients before they are used. */
public final class Gradients {
    private Gradients() {}

    /** The root of the sum of all squares. */
    public static Tensor norm(Object gradients) {
        return Tensorwise.list(gradients).stream()
                .map(g -> g.square().sum())
                .reduce(Tensor::add)
                .orElseThrow(() -> new IllegalArgumentException("there are no gradients"))
                .sqrt();
    }

    /** All gradients scaled down together, so that their norm is at most {@code most}. */
    public static <P> P clipped(P gradients, double most) {
        var norm = norm(gradients);
        var scale = norm.literal(most).div(norm.add(1e-6)).minimum(1);
        return Tensorwise.map(gradients, g -> g.mul(scale));
    }

    /**
     * The mean of a loss and of its gradients over {@code parts} equal parts of the batch (axis 0
     * of every input), one after the other: as much memory as one part takes, and the sum.
     */
    public static <P> Ebb.ValueAndGrad<P> accumulated(
            Fn2<P, List<Tensor>, Tensor> loss, P params, List<Tensor> batch, int parts) {
        var one = Ebb.valueAndGrad(loss);
        var sum = one.apply(params, part(batch, 0, parts));
        for (int i = 1; i < parts; i++) {
            var next = one.apply(params, part(batch, i, parts));
            sum =
                    new Ebb.ValueAndGrad<>(
                            sum.value().add(next.value()),
                            Tensorwise.map(sum.grad(), next.grad(), Tensor::add));
        }
        return new Ebb.ValueAndGrad<>(
                sum.value().div((double) parts),
                Tensorwise.map(sum.grad(), g -> g.div((double) parts)));
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
