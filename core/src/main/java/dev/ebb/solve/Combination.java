package dev.ebb.solve;

import dev.ebb.ir.DType;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;

/** Linear combinations of trees of the same structure, of which every step of a solver consists. */
final class Combination {
    private Combination() {}

    /** {@code y + sum factors_i * slopes_i}. */
    static <S> S of(S y, List<S> slopes, double... factors) {
        return sum(y, slopes, (slope, i) -> slope.mul(factors[i]), factors);
    }

    /** {@code y + h * sum factors_i * slopes_i}. */
    static <S> S scaled(S y, Tensor h, List<S> slopes, double... factors) {
        return sum(y, slopes, (slope, i) -> slope.mul(h.mul(factors[i])), factors);
    }

    private interface Term {
        Tensor of(Tensor slope, int i);
    }

    private static <S> S sum(S y, List<S> slopes, Term term, double... factors) {
        var leaves = new ArrayList<>(Tree.flatten(y));
        for (int i = 0; i < slopes.size(); i++) {
            if (factors[i] == 0) continue;
            var slope = Tree.flatten(slopes.get(i));
            if (!Tree.shapeOf(slopes.get(i)).equals(Tree.shapeOf(y))) {
                throw new ShapeException(
                        "the right-hand side must have the same structure as the state");
            }
            for (int j = 0; j < leaves.size(); j++) {
                leaves.set(j, leaves.get(j).add(term.of(slope.get(j), i)));
            }
        }
        return Tree.unflatten(y, leaves);
    }

    /** The element type of a state, which must be one float type. */
    static DType type(Object state) {
        var types = Tree.flatten(state).stream().map(Tensor::dtype).distinct().toList();
        if (types.size() != 1 || !types.getFirst().isFloat()) {
            throw new ShapeException("a state has tensors of one float type, not of " + types);
        }
        return types.getFirst();
    }
}
