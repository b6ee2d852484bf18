package dev.ebb.reference;

import static dev.ebb.reference.Sample.spread;
import static dev.ebb.reference.Sample.wholes;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Attention;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.CrossEntropy;
import dev.ebb.tensor.network.Pool;
import dev.ebb.tensor.network.Reduction;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Samples of what networks are made of, and of random draws. */
final class NetworkSamples implements SampleTable {

    @Override
    public List<Sample> samples() {
        return Stream.of(rows(), losses(), windows(), attention(), draws())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Sample> rows() {
        return List.of(
                matrix("softmax of rows", x -> x.softmax(1)),
                matrix("softmax of columns", x -> x.softmax(0)),
                matrix("logSoftmax", x -> x.logSoftmax(-1)),
                Sample.of(
                        "layerNorm",
                        n ->
                                List.of(
                                        spread(-2, 2, 1, n, 4),
                                        spread(1, 2, 2, 4),
                                        spread(-1, 1, 3, 4)),
                        n -> Shape.of(n, 4),
                        in -> in.get(0).layerNorm(in.get(1), in.get(2), 1e-2)),
                Sample.of(
                        "rmsNorm",
                        n -> List.of(spread(-2, 2, 1, n, 4), spread(1, 2, 2, 4)),
                        n -> Shape.of(n, 4),
                        in -> in.get(0).rmsNorm(in.get(1), 1e-2)),
                channels("groupNorm", (x, w) -> x.groupNorm(2, w, w, 1e-2)),
                channels("batchNorm", (x, w) -> x.batchNorm(w, w, 1e-2).y()).only(1, 13, 207),
                channels("batchNorm by statistics", (x, w) -> x.batchNorm(w, w, w, w, 1e-2)));
    }

    private static Sample matrix(String name, Fn<Tensor, Tensor> fn) {
        return Sample.of(
                name,
                n -> List.of(spread(-2, 2, 1, n, 4)),
                n -> Shape.of(n, 4),
                in -> fn.apply(in.getFirst()));
    }

    private static Sample channels(String name, Fn2<Tensor, Tensor, Tensor> fn) {
        return Sample.of(
                name,
                n -> List.of(spread(-2, 2, 1, n, 4, 3), spread(1, 2, 2, 4)),
                n -> Shape.of(n, 4, 3),
                in -> fn.apply(in.get(0), in.get(1)));
    }

    private static List<Sample> losses() {
        var sum = CrossEntropy.mean().reduction(Reduction.SUM);
        return List.of(
                classes("crossEntropy", sum),
                classes("crossEntropy smoothed", sum.ignoring(2).smoothing(0.1)),
                Sample.binary("mseLoss", -2, 2, (x, y) -> x.mseLoss(y, Reduction.NONE)),
                Sample.binary("l1Loss", 1, 2, (x, y) -> x.add(5).l1Loss(y, Reduction.NONE)),
                Sample.binary("huberLoss near", 0, 1, (x, y) -> x.huberLoss(y, 2, Reduction.NONE)),
                Sample.binary(
                        "huberLoss far",
                        0,
                        1,
                        (x, y) -> x.add(2).huberLoss(y, 0.5, Reduction.NONE)),
                Sample.binary("bceWithLogits", 0, 1, (x, y) -> x.bceWithLogits(y, Reduction.NONE)));
    }

    private static Sample classes(String name, CrossEntropy options) {
        return Sample.of(
                name,
                n -> List.of(spread(-2, 2, 1, n, 4), wholes(4, 2, n)),
                _ -> Shape.scalar(),
                in -> in.get(0).crossEntropy(in.get(1), options));
    }

    private static List<Sample> windows() {
        var geometry = Conv.plain().stride(2).padding(List.of(1), List.of(0)).dilation(2);
        return List.of(
                Sample.of(
                        "conv1d",
                        n -> List.of(spread(-2, 2, 1, n, 2, 6), spread(-1, 1, 2, 3, 2, 2)),
                        n -> Shape.of(n, 3, 3),
                        in -> in.get(0).conv1d(in.get(1), geometry)),
                Sample.of(
                                "conv2d along",
                                n ->
                                        List.of(
                                                spread(-2, 2, 1, 1, 4, n, 3),
                                                spread(-1, 1, 2, 2, 2, 3, 3)),
                                n -> Shape.of(1, 2, n, 3),
                                in ->
                                        in.get(0)
                                                .conv2d(
                                                        in.get(1),
                                                        Conv.plain().padding(1).groups(2)))
                        .only(1, 13, 207),
                Sample.of(
                                "conv3d",
                                n ->
                                        List.of(
                                                spread(-2, 2, 1, 1, n, 3, 2, 4),
                                                spread(-1, 1, 2, 1, n, 2, 2, 2)),
                                _ -> Shape.of(1, 1, 2, 1, 3),
                                in -> in.get(0).conv3d(in.get(1), Conv.plain()))
                        .only(1, 13),
                Sample.of(
                        "convTranspose1d",
                        n -> List.of(spread(-2, 2, 1, n, 2, 3), spread(-1, 1, 2, 2, 3, 2)),
                        n -> Shape.of(n, 3, 6),
                        in -> in.get(0).convTranspose1d(in.get(1), Conv.plain().stride(2))),
                plane("maxPool", n -> Shape.of(n, 2, 3), x -> x.maxPool(Pool.of(2))),
                Sample.of(
                        "maxPool overlapping, and its derivative",
                        n -> List.of(spread(-900, 900, 1, n, 2, 6), spread(-1, 1, 2, n, 2, 4)),
                        n -> Shape.of(n, 2, 6),
                        in ->
                                Ebb.vjp((Tensor x) -> x.maxPool(Pool.of(3).stride(1)))
                                        .apply(in.get(0), in.get(1))
                                        .cotangent()),
                Sample.of(
                        "maxPool over large windows, and its derivative",
                        n -> List.of(spread(-900, 900, 1, n, 1, 19), spread(-1, 1, 2, n, 1, 3)),
                        n -> Shape.of(n, 1, 19),
                        in ->
                                Ebb.vjp((Tensor x) -> x.maxPool(Pool.of(17).stride(1)))
                                        .apply(in.get(0), in.get(1))
                                        .cotangent()),
                plane("avgPool", n -> Shape.of(n, 2, 3), x -> x.avgPool(Pool.of(2))),
                plane(
                        "avgPool overlapping",
                        n -> Shape.of(n, 2, 4),
                        x -> x.avgPool(Pool.of(2).padding(1))),
                plane("adaptiveAvgPool", n -> Shape.of(n, 2, 4), x -> x.adaptiveAvgPool(4)));
    }

    private static Sample plane(String name, IntFunction<Shape> shape, Fn<Tensor, Tensor> fn) {
        return Sample.of(
                name,
                n -> List.of(spread(-900, 900, 1, n, 2, 6)),
                shape,
                in -> fn.apply(in.getFirst()));
    }

    private static List<Sample> attention() {
        return List.of(
                heads("attention", n -> n, Attention.full()),
                heads("attention to the past", n -> n + 2, Attention.past().scale(0.5)),
                heads("attention, some without keys", n -> Math.max(n - 2, 0), Attention.past()),
                Sample.of(
                                "attention under a mask",
                                n ->
                                        List.of(
                                                spread(-1, 1, 1, 1, 2, n, 3),
                                                spread(-1, 1, 2, 1, 1, n, 3),
                                                spread(-1, 1, 3, 1, 1, n, 2),
                                                spread(-1, 1, 4, 2, 1, n)),
                                n -> Shape.of(1, 2, n, 2),
                                in ->
                                        in.get(0)
                                                .attention(
                                                        in.get(1),
                                                        in.get(2),
                                                        Attention.full().mask(in.get(3))))
                        .only(0, 1, 13));
    }

    private static Sample heads(String name, IntFunction<Integer> keys, Attention options) {
        return Sample.of(
                        name,
                        n ->
                                List.of(
                                        spread(-1, 1, 1, 1, 2, n, 3),
                                        spread(-1, 1, 2, 1, 1, keys.apply(n), 3),
                                        spread(-1, 1, 3, 1, 1, keys.apply(n), 2)),
                        n -> Shape.of(1, 2, n, 2),
                        in -> in.get(0).attention(in.get(1), in.get(2), options))
                .only(0, 1, 13, 67);
    }

    private static List<Sample> draws() {
        return List.of(
                drawn("bits", (k, n) -> k.bits(Shape.of(n, 4))),
                drawn("uniform f64", (k, n) -> k.uniform(Type.of(DType.F64, n, 4))),
                drawn("uniform f32", (k, n) -> k.uniform(Type.of(DType.F32, n, 4))),
                drawn("normal", (k, n) -> k.normal(Type.of(DType.F64, n, 4))),
                drawn(
                        "truncatedNormal",
                        (k, n) -> k.truncatedNormal(Type.of(DType.F64, n, 4), -1, 2)),
                drawn("bernoulli", (k, n) -> k.bernoulli(Shape.of(n, 4), 0.3)),
                drawn("fold", (k, n) -> k.fold(n).bits(Shape.of(n, 4))),
                Sample.of(
                        "dropout",
                        n -> List.of(spread(-2, 2, 1, n, 4), wholes(100, 1)),
                        n -> Shape.of(n, 4),
                        in -> in.get(0).dropout(0.4, new Key(in.get(1)))));
    }

    private static Sample drawn(String name, Fn2<Key, Integer, Tensor> fn) {
        return Sample.of(
                name,
                n -> List.of(wholes(100, 1), Array.of(new int[n])),
                n -> Shape.of(n, 4),
                in -> fn.apply(new Key(in.get(0)), in.get(1).dim(0)));
    }
}
