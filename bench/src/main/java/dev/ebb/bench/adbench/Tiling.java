package dev.ebb.bench.adbench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.cpu.Cpu;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.tensor.Tensor;

/**
 * What tiling saves: the memory that value and gradient of a mixture over 10,000 points take with
 * everything kept, the least without tiling and the least with it, for one worker, and the
 * predicted time of the least plan. Nothing is run.
 *
 * <p>Arguments: pairs of dimensions and components; without any, {@code 10 25 20 50}.
 */
public final class Tiling {
    private static final int POINTS = 10_000;

    private Tiling() {}

    public static void main(String[] args) {
        var sizes = args.length > 0 ? args : new String[] {"10", "25", "20", "50"};
        try (var cpu = new Cpu(1)) {
            for (int i = 0; i + 1 < sizes.length; i += 2)
                compare(Integer.parseInt(sizes[i]), Integer.parseInt(sizes[i + 1]), cpu);
        }
    }

    private static void compare(int d, int k, Cpu cpu) {
        var data = Gmm.Data.random(POINTS, d, k);
        long least = leastBytes(data, Ways.every(), cpu);
        var all = plan(data, Ways.every(), Budget.unlimited(), cpu);
        var tiled = plan(data, Ways.every(), Budget.bytes(least), cpu);
        System.out.printf(
                "d %d, %d components: everything kept %s, least without tiling %s, least with"
                        + " tiling %s, predicted to take %.2f times as long as everything kept%n",
                d,
                k,
                Budget.show(all.peakBytes()),
                Budget.show(leastBytes(data, Ways.recomputing(), cpu)),
                Budget.show(least),
                tiled.cost() / all.cost());
    }

    private static long leastBytes(Gmm.Data data, Ways ways, Cpu cpu) {
        return plan(data, ways, Budget.unlimited(), cpu).leastBytes();
    }

    private static Plan plan(Gmm.Data data, Ways ways, Budget budget, Cpu cpu) {
        var mixture = new Gmm(data.points(), 1, 0);
        Fn<Gmm.Parameters, Tensor> f = mixture::logLikelihood;
        try (var gradient = Ebb.compile(Ebb.valueAndGrad(f)).only(ways).within(budget).on(cpu)) {
            return gradient.plan(data.parameters());
        }
    }
}
