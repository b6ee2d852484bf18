package dev.ebb.reference;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.linear.Triangle;
import dev.ebb.tensor.network.Attention;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.CrossEntropy;
import dev.ebb.tensor.network.Pool;

import java.util.List;
import java.util.Optional;

/** Linear algebra, and what networks are made of. */
public final class NetworkCases implements CaseTable {

    public NetworkCases() {}

    @Override
    public Optional<Fn<List<Tensor>, Tensor>> find(Case c) {
        return linear(c).or(() -> factors(c)).or(() -> layers(c)).or(() -> windows(c));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> linear(Case c) {
        return switch (c.op()) {
            case "matmul" -> two(Tensor::matmul);
            case "einsum" ->
                    Optional.of(
                            in ->
                                    in.getFirst()
                                            .einsum(
                                                    c.text("equation"),
                                                    in.subList(1, in.size())
                                                            .toArray(Tensor[]::new)));
            case "trace" -> one(Tensor::trace);
            case "diagonal" -> one(Tensor::diagonal);
            case "tril" -> one(x -> x.tril(c.whole("k")));
            case "triu" -> one(x -> x.triu(c.whole("k")));
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> factors(Case c) {
        return switch (c.op()) {
            case "cholesky" -> one(x -> symmetric(x).cholesky());
            case "solve" -> two(Tensor::solve);
            case "triangular_solve" -> two((a, b) -> a.triangularSolve(b, half(c)));
            case "inverse" -> one(Tensor::inverse);
            case "det" -> one(Tensor::det);
            case "logdet" -> one(x -> symmetric(x).logdet());
            case "slogdet" -> one(x -> x.slogdet().logDet());
            case "qr_r" -> one(x -> x.qr().r().abs());
            case "eigvalsh" -> one(x -> symmetric(x).eigvalsh());
            case "eigh_square" ->
                    one(
                            x -> {
                                var e = symmetric(x).eigh();
                                return e.vectors().square().mul(e.values());
                            });
            case "svdvals" -> one(Tensor::svdvals);
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> layers(Case c) {
        return switch (c.op()) {
            case "softmax" -> one(x -> x.mul(3).softmax(c.whole("axis")));
            case "log_softmax" -> one(x -> x.logSoftmax(c.whole("axis")));
            case "cross_entropy" -> two((x, t) -> x.crossEntropy(t, crossEntropy(c)));
            case "mse_loss" -> two(Tensor::mseLoss);
            case "huber_loss" -> two((x, y) -> x.huberLoss(y, c.real("delta")));
            case "bce_with_logits" -> two(Tensor::bceWithLogits);
            case "layer_norm" ->
                    Optional.of(in -> in.get(0).layerNorm(in.get(1), in.get(2), c.real("eps")));
            case "rms_norm" -> two((x, w) -> x.rmsNorm(w, c.real("eps")));
            case "group_norm" ->
                    Optional.of(
                            in ->
                                    in.get(0)
                                            .groupNorm(
                                                    c.whole("groups"),
                                                    in.get(1),
                                                    in.get(2),
                                                    c.real("eps")));
            case "batch_norm" ->
                    Optional.of(in -> in.get(0).batchNorm(in.get(1), in.get(2), c.real("eps")).y());
            case "attention" ->
                    Optional.of(
                            in -> {
                                var seen = c.truth("causal") ? Attention.past() : Attention.full();
                                return in.get(0)
                                        .attention(
                                                in.get(1), in.get(2), seen.scale(c.real("scale")));
                            });
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> windows(Case c) {
        return switch (c.op()) {
            case "conv1d" -> biased((x, w) -> x.conv1d(w, conv(c)));
            case "conv2d" -> biased((x, w) -> x.conv2d(w, conv(c)));
            case "conv_transpose2d" ->
                    biased(
                            (x, w) ->
                                    x.convTranspose2d(
                                            w,
                                            Conv.plain()
                                                    .stride(c.whole("stride"))
                                                    .padding(c.whole("padding"))
                                                    .outputPadding(c.whole("output_padding"))));
            case "max_pool2d" -> one(x -> x.maxPool(pool(c)));
            case "avg_pool2d" -> one(x -> x.avgPool(pool(c)));
            default -> Optional.empty();
        };
    }

    private static Tensor symmetric(Tensor x) {
        return x.add(x.transpose()).mul(0.5);
    }

    private static Triangle half(Case c) {
        return c.truth("lower") ? Triangle.LOWER : Triangle.UPPER;
    }

    private static CrossEntropy crossEntropy(Case c) {
        var options = CrossEntropy.mean();
        if (c.has("ignore_index")) options = options.ignoring(c.whole("ignore_index"));
        return c.has("label_smoothing") ? options.smoothing(c.real("label_smoothing")) : options;
    }

    private static Conv conv(Case c) {
        return Conv.plain()
                .stride(c.whole("stride"))
                .padding(c.whole("padding"))
                .dilation(c.whole("dilation"))
                .groups(c.whole("groups"));
    }

    private static Pool pool(Case c) {
        return Pool.of(c.whole("kernel")).stride(c.whole("stride")).padding(c.whole("padding"));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> one(Fn<Tensor, Tensor> f) {
        return Optional.of(in -> f.apply(in.get(0)));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> two(Fn2<Tensor, Tensor, Tensor> f) {
        return Optional.of(in -> f.apply(in.get(0), in.get(1)));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> biased(Fn2<Tensor, Tensor, Tensor> f) {
        return Optional.of(
                in -> {
                    var y = f.apply(in.get(0), in.get(1));
                    return in.size() == 2 ? y : y.addChannels(in.get(2));
                });
    }
}
