package dev.ebb.reference;

import static dev.ebb.reference.Sample.spread;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.linear.Triangle;

import java.util.List;

/** Samples of linear algebra. Matrices lie near ones whose factors are far from each other. */
final class LinearSamples implements SampleTable {

    @Override
    public List<Sample> samples() {
        return List.of(
                batch("tril", x -> x.tril(-1)),
                batch("triu", x -> x.triu(1)),
                batch("diag", x -> x.diagonal().diag()),
                Sample.of(
                        "einsum",
                        n -> List.of(spread(-1, 1, 1, n, 3, 3), spread(-1, 1, 2, n, 3)),
                        n -> Shape.of(3, n),
                        in -> in.get(0).einsum("nij,nj->in", in.get(1))),
                Sample.of(
                        "outer",
                        n -> List.of(spread(-1, 1, 1, n), spread(-1, 1, 2, 3)),
                        n -> Shape.of(n, 3),
                        in -> in.get(0).outer(in.get(1))),
                batch("cholesky", x -> definite(x).cholesky()),
                batch("inverse", x -> steep(x).inverse()),
                batch("qr", x -> steep(x).qr().q()),
                batch("qr, its triangle", x -> steep(x).qr().r()),
                batch("eigh", x -> steep(x).eigh().vectors()),
                batch("eigh, its values", x -> steep(x).eigh().values().diag()),
                batch("svd", x -> steep(x).svd().u()),
                batch("svd, its values", x -> steep(x).svd().s().diag()),
                square("cholesky of one", x -> definite(x).cholesky()),
                square("det", x -> steep(x).slogdet().logDet().mul(x)),
                square("svdvals of one", x -> steep(x).svdvals().diag()),
                solved("solve", (a, b) -> steep(a).solve(b)),
                solved("triangularSolve", (a, b) -> steep(a).triangularSolve(b, Triangle.LOWER)));
    }

    /** Small elements beside a diagonal of 1, 2, 3, ... */
    private static Tensor steep(Tensor x) {
        int n = x.dim(-1);
        var diagonal = Tensors.iota(DType.F64, Shape.of(n), 0).add(1).cast(x.dtype()).diag();
        return x.mul(0.1 / Math.max(n, 1)).add(diagonal);
    }

    private static Tensor definite(Tensor x) {
        return x.matmul(x.transpose()).add(Tensors.eye(x.dtype(), x.dim(-1)));
    }

    private static Sample batch(String name, Fn<Tensor, Tensor> fn) {
        return Sample.of(
                name,
                n -> List.of(spread(-1, 1, 1, n, 3, 3)),
                n -> Shape.of(n, 3, 3),
                in -> fn.apply(in.getFirst()));
    }

    private static Sample square(String name, Fn<Tensor, Tensor> fn) {
        return Sample.of(
                        name,
                        n -> List.of(spread(-1, 1, 1, n, n)),
                        n -> Shape.of(n, n),
                        in -> fn.apply(in.getFirst()))
                .only(0, 1, 13);
    }

    private static Sample solved(String name, Fn2<Tensor, Tensor, Tensor> fn) {
        return Sample.of(
                        name,
                        n -> List.<Array>of(spread(-1, 1, 1, n, n), spread(-1, 1, 2, n, 2)),
                        n -> Shape.of(n, 2),
                        in -> fn.apply(in.get(0), in.get(1)))
                .only(0, 1, 13);
    }
}
