package dev.ebb.reference;

import static dev.ebb.reference.Sample.spread;
import static dev.ebb.reference.Sample.wholes;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.op.IndexOps;
import dev.ebb.tensor.op.Overwrite;

import java.util.List;
import java.util.function.IntFunction;

/** Samples of ops that move, place and pick elements, and of the matrix product. */
final class MoveSamples implements SampleTable {

    @Override
    public List<Sample> samples() {
        return List.of(
                one("reshape", n -> Shape.of(2, n, 2), x -> x.reshape(2, x.dim(0), 2)),
                one("permute", n -> Shape.of(4, n), Tensor::transpose),
                one(
                        "broadcastTo",
                        n -> Shape.of(3, n, 4),
                        x -> x.broadcastTo(Shape.of(3, x.dim(0), 4))),
                one("slice", n -> Shape.of(n, 2), x -> x.slice(1, 0, -1, 2)),
                one("flip", n -> Shape.of(n, 4), x -> x.flip(0, 1)),
                one("roll", n -> Shape.of(n, 4), x -> x.roll(-3, 1)),
                one("pad", n -> Shape.of(n + 2, 7), x -> x.pad(List.of(2, 0), List.of(0, 3), 1.5)),
                one("unsqueeze squeeze", n -> Shape.of(n, 4), x -> x.unsqueeze(1).squeeze(1)),
                one("moveAxis", n -> Shape.of(4, n), x -> x.moveAxis(0, -1)),
                one("repeat", n -> Shape.of(n * 3, 4), x -> x.repeat(3, 0)),
                one("tile", n -> Shape.of(n, 8), x -> x.tile(2, 1)),
                one("iota", n -> Shape.of(n, 4), x -> x.mul(Tensors.iota(x.dtype(), x.shape(), 1))),
                new Sample(
                        "split",
                        n -> List.of(spread(-2, 2, 1, n, 4)),
                        in -> in.getFirst().split(1, 1, 3),
                        n -> Shape.of(n, 1),
                        Sample.SIZES,
                        true),
                Sample.of(
                        "concat",
                        n -> List.of(spread(-2, 2, 1, n, 4), spread(-2, 2, 2, n, 1)),
                        n -> Shape.of(n, 5),
                        in -> Tensors.concat(in, 1)),
                Sample.of(
                        "overwrite",
                        n -> List.of(spread(-2, 2, 1, n, 4), spread(-2, 2, 2, n, 2)),
                        n -> Shape.of(n, 4),
                        in -> in.get(0).apply(new Overwrite(List.of(0, 1)), in.get(1))),
                Sample.of(
                        "stack",
                        n -> List.of(spread(-2, 2, 1, n), spread(-2, 2, 2, n)),
                        n -> Shape.of(2, n),
                        in -> Tensors.stack(in, 0)),
                index(
                        "indexSelect",
                        wholes(4, 1, 6),
                        n -> Shape.of(n, 6),
                        (x, i) -> x.indexSelect(1, i)),
                index(
                        "indexSelect by a matrix",
                        wholes(4, 1, 3, 2),
                        n -> Shape.of(n, 3, 2),
                        (x, i) -> x.indexSelect(1, i)),
                index(
                        "takeAlong",
                        wholes(4, 1, 1, 3),
                        n -> Shape.of(n, 3),
                        (x, i) -> x.takeAlong(1, i)),
                Sample.of(
                        "gather",
                        n -> List.of(spread(-2, 2, 1, n, 4), wholes(4, 1, n, 3)),
                        n -> Shape.of(n, 3),
                        in -> in.get(0).gather(1, in.get(1))),
                Sample.of(
                        "oneHot",
                        n -> List.of(spread(-2, 2, 1, n, 4), wholes(4, 1, n)),
                        n -> Shape.of(n, 4),
                        in -> in.get(0).mul(Tensors.oneHot(in.get(1), 4, in.get(0).dtype()))),
                Sample.of(
                        "scatterAdd",
                        n ->
                                List.of(
                                        spread(-2, 2, 1, n, 4),
                                        wholes(4, 1, n, 6),
                                        spread(-2, 2, 2, n, 6)),
                        n -> Shape.of(n, 4),
                        in -> in.get(0).scatterAdd(1, in.get(1), in.get(2))),
                scattered("scatter", n -> wholes(4, 1, n, 6), IndexOps::scatter),
                scattered("scatter by a row", _ -> wholes(4, 1, 1, 6), IndexOps::scatter),
                scattered("scatterMax", n -> wholes(4, 1, n, 6), IndexOps::scatterMax)
                        .only(0, 1, 13),
                scattered("scatterMin", _ -> wholes(4, 1, 1, 6), IndexOps::scatterMin)
                        .only(0, 1, 13),
                Sample.of(
                        "indexCopy",
                        n ->
                                List.of(
                                        spread(-2, 2, 1, 5, 4),
                                        wholes(5, 1, n),
                                        spread(-2, 2, 2, n, 4)),
                        _ -> Shape.of(5, 4),
                        in -> in.get(0).indexCopy(0, in.get(1), in.get(2))),
                Sample.of(
                        "indexAdd",
                        n ->
                                List.of(
                                        spread(-2, 2, 1, 5, 4),
                                        wholes(5, 1, n),
                                        spread(-2, 2, 2, n, 4)),
                        _ -> Shape.of(5, 4),
                        in -> in.get(0).indexAdd(0, in.get(1), in.get(2))),
                Sample.of(
                        "embedding",
                        n -> List.of(spread(-2, 2, 1, 5, 4), wholes(5, 1, 2, n)),
                        n -> Shape.of(2, n, 4),
                        in -> in.get(0).embedding(in.get(1))),
                Sample.of(
                        "matmul",
                        n -> List.of(spread(-2, 2, 1, 2, 3, n), spread(-2, 2, 2, n, 5)),
                        _ -> Shape.of(2, 3, 5),
                        in -> in.get(0).matmul(in.get(1))));
    }

    private static Sample one(String name, IntFunction<Shape> shape, Fn<Tensor, Tensor> fn) {
        return Sample.of(
                name, n -> List.of(spread(-2, 2, 1, n, 4)), shape, in -> fn.apply(in.getFirst()));
    }

    /** An op that sends six elements of each row to four places of it. */
    private static Sample scattered(String name, IntFunction<Array> index, Scattered op) {
        return Sample.of(
                name,
                n -> List.of(spread(-2, 2, 1, n, 4), index.apply(n), spread(-2, 2, 2, n, 6)),
                n -> Shape.of(n, 4),
                in -> op.of(in.get(0), 1, in.get(1), in.get(2)));
    }

    private interface Scattered {
        Tensor of(Tensor data, int axis, Tensor index, Tensor source);
    }

    private static Sample index(
            String name, Array index, IntFunction<Shape> shape, Fn2<Tensor, Tensor, Tensor> fn) {
        return Sample.of(
                name,
                n -> List.of(spread(-2, 2, 1, n, 4), index),
                shape,
                in -> fn.apply(in.get(0), in.get(1)));
    }
}
