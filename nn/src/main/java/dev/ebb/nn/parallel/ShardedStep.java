package dev.ebb.nn.parallel;

import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

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
        var all = new ArrayList<Tensor>();
        for (int i = 0; i < types.size(); i++)
            all.add(cut.join(Collectives.allGather(parts.get(i), group), types.get(i)));
        return Tensorwise.rebuild(form, all);
    }

    /** The mean over shards, part by part: the last first, as the backward pass gives them. */
    private List<Tensor> scattered(List<Tensor> sums) {
        var parts = new ArrayList<Tensor>();
        for (var sum : sums.reversed()) {
            var part = Collectives.reduceScatter(cut.cut(sum), group);
            parts.add(part.div((double) cut.pieces()));
        }
        Collections.reverse(parts);
        return parts;
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
