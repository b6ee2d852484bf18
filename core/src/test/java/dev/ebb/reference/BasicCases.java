package dev.ebb.reference;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;

/** Elementwise ops, reductions, moves and indexing. */
public final class BasicCases implements CaseTable {

    public BasicCases() {}

    @Override
    public Optional<Fn<List<Tensor>, Tensor>> find(Case c) {
        return switch (c.op()) {
            case "neg" -> one(Tensor::neg);
            case "exp" -> one(Tensor::exp);
            case "add" -> two(Tensor::add);
            case "mul" -> two(Tensor::mul);
            case "sum" -> one(x -> x.sum(c.axes("axes", x.rank()), c.truth("keep")));
            case "matmul" -> two(Tensor::matmul);
            default -> Optional.empty();
        };
    }

    private static Optional<Fn<List<Tensor>, Tensor>> one(Fn<Tensor, Tensor> f) {
        return Optional.of(in -> f.apply(in.get(0)));
    }

    private static Optional<Fn<List<Tensor>, Tensor>> two(Fn2<Tensor, Tensor, Tensor> f) {
        return Optional.of(in -> f.apply(in.get(0), in.get(1)));
    }
}
