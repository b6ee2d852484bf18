package dev.ebb.nn.parallel;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A training step of one rank. Weights and the optimizer's state are divided among the ranks. The
 * step gathers the weights; computes the gradients of its shards, one after the other; adds them in
 * tree order, its own locally and those of all ranks by {@link Collectives#reduceScatter}, after
 * which each rank has its part of the sum; and updates its part of the weights. A gathered weight
 * is a value like any other: the planner keeps it for the backward pass, or gathers it again.
 *
 * <p>No number in it depends on how many ranks share the shards: ranks exchange whole subtrees of
 * the sum over shards, and the norm of the gradients is summed piece by piece.
 *
 * @param form a model like the trained one; only its structure and types are used
 * @param beside whether gradients are sent during the rest of the backward pass
 */
record ShardedStep<P>(Recipe<P> recipe, P form, Partition cut, Group group, boolean beside) {

    Next<ShardedState, Tensor> apply(ShardedState state, List<Tensor> batch) {
        var types = Tensorwise.list(form).stream().map(Tensor::type).toList();
        var model = gathered(state.weights(), types);
        int subtrees = cut.each() / cut.subtree();
        var one = new ShardedGradient(cut.subtree(), cut.subtree());
        var sums = new ArrayList<Ebb.ValueAndGrad<P>>();
        for (int i = 0; i < subtrees; i++)
            sums.add(one.summed(recipe::loss, model, rows(batch, i)));
        var gradients = clipped(scattered(sums));
        var updated = recipe.optimizer().update(state.weights(), gradients, state.optimizer());
        return new Next<>(new ShardedState(updated.params(), updated.state()), loss(sums));
    }

    /** The rows of this rank's subtree number {@code i}. */
    private List<Tensor> rows(List<Tensor> batch, int i) {
        int subtrees = cut.each() / cut.subtree();
        if (subtrees == 1) return batch;
        return batch.stream()
                .map(
                        t -> {
                            int rows = t.dim(0) / subtrees;
                            return t.slice(0, i * rows, (i + 1) * rows);
                        })
                .toList();
    }

    private Tensor loss(List<Ebb.ValueAndGrad<P>> sums) {
        var own = sums.stream().map(Ebb.ValueAndGrad::value).toList();
        var sum =
                own.size() == 1
                        ? Collectives.allReduce(own.getFirst(), group)
                        : added(Collectives.allGather(Tensors.stack(own, 0), group));
        return sum.div((double) cut.pieces());
    }

    /** The sum along the first axis in the order of the tree. */
    private static Tensor added(Tensor terms) {
        return TreeSum.of(
                terms.dim(0),
                i -> {
                    var term = terms.slice(0, i, i + 1);
                    return term.reshape(new Shape(term.shape().dims().subList(1, term.rank())));
                },
                Tensor::add);
    }

    private P gathered(List<Tensor> parts, List<Type> types) {
        var all = new ArrayList<>(parts);
        for (var bucket : Buckets.of(types)) {
            var whole = together(bucket, parts, cut.each(), t -> Collectives.allGather(t, group));
            for (int i = 0; i < bucket.size(); i++) {
                int place = bucket.get(i);
                all.set(place, cut.join(whole.get(i), types.get(place)));
            }
        }
        return Tensorwise.rebuild(form, all);
    }

    /**
     * The mean over shards, part by part, starting with the last, in the order of the backward
     * pass.
     */
    private List<Tensor> scattered(List<Ebb.ValueAndGrad<P>> sums) {
        var cuts =
                sums.stream()
                        .map(s -> Tensorwise.list(s.grad()).stream().map(cut::cut).toList())
                        .toList();
        var wholes = Tensorwise.list(sums.getFirst().grad()).stream().map(Tensor::type).toList();
        var parts = new ArrayList<>(cuts.getFirst());
        for (var bucket : Buckets.of(wholes).reversed()) {
            var own =
                    sums.size() == 1
                            ? together(bucket, cuts.getFirst(), cut.pieces(), this::reduced)
                            : severalSums(bucket, cuts);
            for (int i = 0; i < bucket.size(); i++) {
                int place = bucket.get(i);
                var part = own.get(i).reshape(cut.part(wholes.get(place)).shape());
                parts.set(place, part.div((double) cut.pieces()));
            }
        }
        return parts;
    }

    private Tensor reduced(Tensor sum) {
        return group.size() == 1 || !beside
                ? Collectives.reduceScatter(sum, group)
                : AsyncReduceScatter.reduceScatter(sum, group);
    }

    /** Each rank sends several sums; their owners add the parts of all ranks. */
    private List<Tensor> severalSums(List<Integer> bucket, List<List<Tensor>> cuts) {
        int m = cuts.size();
        var found = new ArrayList<Tensor>();
        for (int place : bucket) {
            var sums = new ArrayList<Tensor>();
            int columns = Math.toIntExact(cuts.getFirst().get(place).type().size() / cut.pieces());
            for (var one : cuts) sums.add(one.get(place).reshape(cut.pieces(), columns));
            // [owner, sum, its pieces, columns] -> [sender, ...] -> sums in a row
            var sent =
                    Tensors.stack(sums, 0)
                            .reshape(m, group.size(), cut.each(), columns)
                            .permute(1, 0, 2, 3);
            var come = Collectives.allToAll(sent, group);
            found.add(added(come.reshape(group.size() * m, cut.each(), columns)));
        }
        return found;
    }

    /**
     * Applies an exchange to all tensors of a bucket. All have {@code rows} pieces, so they are
     * concatenated as the columns of one matrix, whose rows are exchanged.
     */
    private List<Tensor> together(
            List<Integer> bucket, List<Tensor> tensors, int rows, UnaryOperator<Tensor> exchange) {
        if (bucket.size() == 1 || group.size() == 1)
            return bucket.stream().map(place -> exchange.apply(tensors.get(place))).toList();
        var columns = new ArrayList<Tensor>();
        for (int place : bucket) {
            int size = Math.toIntExact(tensors.get(place).type().size());
            columns.add(tensors.get(place).reshape(rows, size / rows));
        }
        var matrix = exchange.apply(Tensors.concat(columns, 1));
        var found = new ArrayList<Tensor>();
        int at = 0;
        for (var column : columns) {
            found.add(matrix.slice(1, at, at + column.dim(1)));
            at += column.dim(1);
        }
        return found;
    }

    private List<Tensor> clipped(List<Tensor> gradients) {
        double most = recipe.largestNorm();
        if (most == Double.POSITIVE_INFINITY) return gradients;
        var wide = gradients.stream().anyMatch(g -> g.dtype() == DType.F64) ? DType.F64 : DType.F32;
        var squares =
                Tensors.stack(gradients.stream().map(g -> cut.squares(g.cast(wide))).toList(), 1);
        var norm = Collectives.allGather(squares, group).sum(List.of(0), false).sum().sqrt();
        var scale = norm.literal(most).div(norm.add(1e-6)).minimum(1);
        return gradients.stream().map(g -> g.cast(wide).mul(scale).cast(g.dtype())).toList();
    }
}
