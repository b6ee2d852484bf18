package dev.ebb.pass;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.List;

/**
 * Recognises running sums, whose terms are computed one after the other, such as the gradient of a
 * weight that is read at every step. In one fused kernel all terms would have to stay in memory
 * until the last one is computed. If each term is added when it is computed, in place or in the
 * epilogue of the product that computes it, it is freed at once, and only one sum is in memory for
 * any number of steps.
 */
final class RunningSums {
    private final Table<Value, FusionCandidate> producer;
    private final Table<FusionCandidate, Integer> place = new Table<>();

    RunningSums(List<FusionCandidate> pieces, Table<Value, FusionCandidate> producer) {
        this.producer = producer;
        for (int i = 0; i < pieces.size(); i++) place.put(pieces.get(i), i);
    }

    /** Whether {@code into} adds to the sum {@code from} a term that is computed only after it. */
    boolean isRunning(FusionCandidate from, FusionCandidate into) {
        return isSum(from) && isSum(into) && into.inputs.stream().anyMatch(v -> isLater(v, from));
    }

    private boolean isLater(Value term, FusionCandidate sum) {
        var made = producer.find(term);
        return made.isPresent()
                && made.get() != sum
                && term.type().size() >= sum.outputs.getFirst().type().size()
                && place.at(made.get()) > place.at(sum);
    }

    /** Whether {@code piece} is a sum of two or more terms of its own size. */
    private static boolean isSum(FusionCandidate piece) {
        if (!(piece.kernel instanceof Kernel.Map map) || map.bodies().size() != 1) return false;
        long size = map.shape().size();
        return map.bodies().getFirst() instanceof Scalar.Bin body
                && adds(body)
                && piece.inputs.stream().allMatch(v -> v.type().size() == size);
    }

    private static boolean adds(Scalar body) {
        return switch (body) {
            case Scalar.Arg _ -> true;
            case Scalar.Bin(var fn, var x, var y) -> fn == Scalar.Fn2.ADD && adds(x) && adds(y);
            case Scalar.Lit _,
                    Scalar.Index _,
                    Scalar.Position _,
                    Scalar.Un _,
                    Scalar.Select _,
                    Scalar.Cast _,
                    Scalar.Draw _ ->
                    false;
        };
    }
}
