package dev.ebb.plan;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.util.Set;

/**
 * The rule that an experienced user would write by hand: values that are small, expensive to
 * compute or computed by an op that may run only once are kept (statistics, products, convolutions,
 * attention); large elementwise activations are computed again.
 */
public record KeepExpensive() implements Strategy {
    /** A value is small if it takes at most this share of the largest one. */
    private static final long SMALL = 64;

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        long largest =
                problem.graph().nodes().stream()
                        .filter(n -> !n.reverse())
                        .flatMap(n -> n.outputs().stream())
                        .mapToLong(problem::bytes)
                        .max()
                        .orElse(0);
        Policy dear = c -> isDear(c.node());
        return new Keep(Policy.atMost(largest / SMALL).or(dear)).keeps(problem, cost);
    }

    private static boolean isDear(Node node) {
        if (node.op().traits().contains(Trait.EXPENSIVE)) return true;
        return switch (node.kernel()) {
            case Kernel.Contract _,
                    Kernel.Fold _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ ->
                    true;
            case Kernel.Rows k ->
                    k.results().stream().anyMatch(r -> !(r instanceof RowParts.Elements));
            case Kernel.Scatter k -> !k.isUpdate();
            case Kernel.Map _, Kernel.Assemble _, Kernel.Cut _, Kernel.Gather _ -> false;
        };
    }
}
