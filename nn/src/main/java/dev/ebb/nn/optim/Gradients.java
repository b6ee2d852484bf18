package dev.ebb.nn.optim;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.nn.parallel.TreeSum;
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
     * of every input), one after the other, added in the order of {@link TreeSum}: as much memory
     * as one part takes, and a sum for each level of the tree, which is f32 where gradients have
     * sixteen bits. Ranks that share the parts get the same bits: see {@link
     * dev.ebb.nn.parallel.Rank}.
     */
    public static <P> Ebb.ValueAndGrad<P> accumulated(
            Fn2<P, List<Tensor>, Tensor> loss, P params, List<Tensor> batch, int parts) {
        var sum = summed(loss, params, batch, parts);
        return new Ebb.ValueAndGrad<>(
                sum.value().div((double) parts),
                Tensorwise.map(
                        sum.grad(), params, (a, p) -> a.div((double) parts).cast(p.dtype())));
    }

    /** As {@link #accumulated}, but the sums, and in the type in which they were added. */
    public static <P> Ebb.ValueAndGrad<P> summed(
            Fn2<P, List<Tensor>, Tensor> loss, P params, List<Tensor> batch, int parts) {
        var one = Ebb.valueAndGrad(loss);
        return TreeSum.of(
                parts,
                i -> {
                    var of = one.apply(params, part(batch, i, parts));
                    return new Ebb.ValueAndGrad<>(
                            wide(of.value()), Tensorwise.map(of.grad(), Gradients::wide));
                },
                (a, b) ->
                        new Ebb.ValueAndGrad<>(
                                a.value().add(b.value()),
                                Tensorwise.map(a.grad(), b.grad(), Tensor::add)));
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
