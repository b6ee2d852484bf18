package dev.ebb.tensor.linear;

import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.View;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.op.Moves;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A diagonal is every (columns + 1)th element of a matrix written as one row. */
final class Diagonals {
    private Diagonals() {}

    /** Diagonal {@code k} of the last two axes; positive ones lie above the main one. */
    static Tensor of(Tensor x, int k) {
        if (x.rank() < 2) {
            throw new ShapeException(
                    "diagonal needs matrices, [..., rows, columns]; this is " + x.type());
        }
        int m = x.dim(-2);
        int n = x.dim(-1);
        int length = Math.max(0, Math.min(m + Math.min(k, 0), n - Math.max(k, 0)));
        var lead = lead(x, 2);
        var flat = x.reshape(lead.append(m * n));
        int rank = lead.rank() + 1;
        var start = new ArrayList<>(Collections.nCopies(rank, 0));
        var step = new ArrayList<>(Moves.ones(rank));
        start.set(rank - 1, length == 0 ? 0 : k >= 0 ? k : -k * n);
        step.set(rank - 1, n + 1);
        return flat.apply(new Moves.Slice(start, step, lead.append(length)));
    }

    /** Matrices with the last axis on their diagonal and zeros elsewhere. */
    static Tensor embed(Tensor x) {
        if (x.rank() < 1) throw new ShapeException("diag needs vectors, this is " + x.type());
        int n = x.dim(-1);
        var lead = lead(x, 1);
        int rank = x.rank();
        var start = Collections.nCopies(rank, 0);
        var step = new ArrayList<>(Moves.ones(rank));
        step.set(rank - 1, n + 1);
        var part = new View.Part(x.shape(), start, step);
        var flat = x.apply(new Moves.Assemble(lead.append(n * n), 0, List.of(part)));
        return flat.reshape(lead.append(n, n));
    }

    private static Shape lead(Tensor x, int last) {
        return new Shape(x.shape().dims().subList(0, x.rank() - last));
    }
}
