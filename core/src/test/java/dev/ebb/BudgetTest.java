package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Shape;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Every;
import dev.ebb.plan.Fit;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Practical;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class BudgetTest {
    record Net(List<Tensor> weights) {}

    private static Array noise(Random random, int rows, int columns) {
        var data = new double[rows * columns];
        for (int i = 0; i < data.length; i++) data[i] = random.nextGaussian() / Math.sqrt(columns);
        return Array.of(Shape.of(rows, columns), data);
    }

    /**
     * The loss of a deep net and all its gradients have the same bits, whatever is computed again.
     */
    @Test
    void sameBitsUnderEveryStrategy() {
        var random = new Random(5);
        var x = noise(random, 64, 16);
        var weights = new ArrayList<Tensor>();
        for (int l = 0; l < 8; l++) weights.add(noise(random, 16, 16));
        Fn<Net, Tensor> loss =
                net -> {
                    Tensor h = x;
                    for (Tensor w : net.weights()) h = h.add(h.matmul(w).tanh());
                    return h.square().sum();
                };
        var net = new Net(weights);
        var all = Ebb.compile(Ebb.grad(loss)).with(new StoreAll());
        var expected = all.apply(net);
        long peak = all.plan(net).layout().arenaBytes();
        var planners =
                List.<Planner>of(
                        new RecomputeAll(),
                        new Every(2),
                        Segments.sqrt(),
                        new Binomial(2),
                        new Practical(),
                        new Fit(Budget.share(0.8)),
                        new Fit(Budget.share(0.6)),
                        new Fit(Budget.share(0.5)));
        for (Planner planner : planners) {
            var compiled = Ebb.compile(Ebb.grad(loss)).with(planner);
            var found = compiled.apply(net);
            for (int l = 0; l < 8; l++) {
                assertThat(((Array) found.weights().get(l)).toDoubles())
                        .as("%s, layer %s", planner, l)
                        .isEqualTo(((Array) expected.weights().get(l)).toDoubles());
            }
            if (planner instanceof Fit(Budget budget)) {
                assertThat(compiled.plan(net).layout().arenaBytes())
                        .isLessThanOrEqualTo(budget.resolve(peak));
            }
        }
    }
}
