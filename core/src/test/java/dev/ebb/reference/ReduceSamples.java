package dev.ebb.reference;

import static dev.ebb.reference.Sample.spread;

import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.function.IntFunction;

/** Samples of reductions, running totals and sorting. */
final class ReduceSamples implements SampleTable {

    @Override
    public List<Sample> samples() {
        return List.of(
                rows("sum", x -> x.sum(-1)),
                columns("sum", x -> x.sum(0)),
                rows("mean", x -> x.mean(-1)),
                rows("prod", x -> x.prod(-1)),
                columns("prod", x -> x.prod(0)).only(0, 1, 13),
                withZeros("prod", x -> x.prod(-1), n -> Shape.of(n)),
                rows("amax", x -> x.amax(-1)),
                columns("amax", x -> x.amax(0)).only(1, 13, 207),
                rows("amin", x -> x.amin(-1)),
                rows("logsumexp", x -> x.logsumexp(-1)),
                rows("variance", x -> x.variance(List.of(-1), 1, false)),
                rows("deviation", x -> x.deviation(List.of(-1), 0, false)),
                rows("norm 2", x -> x.norm(2, List.of(-1), false)),
                rows("norm 3.5", x -> x.norm(3.5, List.of(-1), false)),
                rows("norm 1", x -> x.norm(1, List.of(-1), false)),
                rows("norm infinity", x -> x.norm(Double.POSITIVE_INFINITY, List.of(-1), false)),
                rows("argmax", x -> x.argmax(-1)),
                rows("argmin", x -> x.argmin(-1)),
                same("cumsum", x -> x.cumsum(-1)),
                same("cumprod", x -> x.cumprod(-1)),
                withZeros("cumprod", x -> x.cumprod(-1), n -> Shape.of(n, 4)),
                same("argsort", x -> x.argsort(0, false)),
                same("sort", x -> x.sort(0, false).values()),
                same("sort descending", x -> x.sort(-1, true).values()),
                Sample.of(
                        "topk",
                        n -> List.of(spread(-2, 2, 1, n, 4)),
                        n -> Shape.of(n, 2),
                        in -> in.getFirst().topk(2, -1).values()));
    }

    private static Sample rows(String name, Fn<Tensor, Tensor> fn) {
        return of(name + " of rows", n -> Shape.of(n), fn);
    }

    private static Sample columns(String name, Fn<Tensor, Tensor> fn) {
        return of(name + " of columns", _ -> Shape.of(4), fn);
    }

    private static Sample same(String name, Fn<Tensor, Tensor> fn) {
        return of(name, n -> Shape.of(n, 4), fn);
    }

    private static Sample of(String name, IntFunction<Shape> shape, Fn<Tensor, Tensor> fn) {
        return Sample.of(
                name, n -> List.of(spread(-2, 2, 1, n, 4)), shape, in -> fn.apply(in.getFirst()));
    }

    /** Two of the four columns are zero. */
    private static Sample withZeros(String name, Fn<Tensor, Tensor> fn, IntFunction<Shape> shape) {
        var mask = Array.of(1.0, 0.0, 1.0, 0.0);
        return Sample.of(
                name + " with zeros",
                n -> List.of((Array) spread(-2, 2, 1, n, 4).mul(mask)),
                shape,
                in -> fn.apply(in.getFirst()));
    }
}
