package dev.ebb.nn.parallel;

import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A training step of one rank. Weights and the optimizer's state lie in parts, one a rank. The step
 * gathers the weights; computes the gradients of its shards, one after the other; adds them in tree
 * order, its own here and those of all ranks by {@link Collectives#reduceScatter}, after which each
 * rank has its part of the sum; and moves its part of the weights. A gathered weight is a value
 * like any other: the planner keeps it for the backward pass, or gathers it again.
 *
 * <p>No number in it depends on how many ranks share the shards: where ranks meet, what they
 * exchange are whole subtrees of the sum over shards, and the norm of the gradients is added up
 * piece by piece.
 *
 * @param form a model like the one that is trained; only its build and its types count
 */
record ShardedStep<P>(Recipe<P> recipe, P form, Cut cut, Group group) {

    Next<ShardedState, Tensor> apply(ShardedState state, List<Tensor> batch) {
        var types = Tensorwise.list(form).stream().map(Tensor::type).toList();
        var sum =
                Gradients.summed(recipe::loss, gathered(state.weights(), types), batch, cut.each());
        var gradients = clipped(scattered(Tensorwise.list(sum.grad())));
        var updated = recipe.optimizer().update(state.weights(), gradients, state.optimizer());
        var loss = Collectives.allReduce(sum.value(), group).div((double) cut.pieces());
        return new Next<>(new ShardedState(updated.params(), updated.state()), loss);
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

    /** The mean over shards, part by part: the last first, as the backward pass gives them. */
    private List<Tensor> scattered(List<Tensor> sums) {
        var cuts = sums.stream().map(cut::cut).toList();
        var parts = new ArrayList<>(sums);
        var types = sums.stream().map(Tensor::type).toList();
        for (var bucket : Buckets.of(types).reversed()) {
            var own =
                    together(bucket, cuts, cut.pieces(), t -> Collectives.reduceScatter(t, group));
            for (int i = 0; i < bucket.size(); i++) {
                int place = bucket.get(i);
                var part = own.get(i).reshape(cut.part(types.get(place)).shape());
                parts.set(place, part.div((double) cut.pieces()));
            }
        }
        return parts;
    }

    /**
     * What an exchange makes of each tensor of a bucket. All have {@code rows} pieces, so they go
     * side by side as the columns of one matrix, whose rows are exchanged.
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
