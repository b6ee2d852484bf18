package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Every;
import dev.ebb.plan.Fit;
import dev.ebb.plan.Keep;
import dev.ebb.plan.KeepExpensive;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.PerRegion;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Policy;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.SavedShare;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.reference.RandomProgram;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Every strategy, on any program, plans or refuses in words; what runs has the same bits. */
class EveryStrategyTest {
    /** So many that every form, budget and set of ways meets each of the others. */
    private static final int PROGRAMS = 12;

    private static final int LENGTH = 7;

    private static List<Planner> planners() {
        return List.of(
                new StoreAll(),
                new RecomputeAll(),
                new Every(1),
                new Every(2),
                new Every(5),
                Segments.sqrt(),
                Segments.of(2),
                Segments.of(7),
                new Binomial(1),
                new Binomial(2),
                new Binomial(3),
                new Binomial(9),
                new Binomial(2, 3),
                new Keep(Policy.ops("mul").or(Policy.atMost(64))),
                new Keep(_ -> false),
                new Keep(_ -> true),
                new KeepExpensive(),
                new SavedShare(0.5),
                PerRegion.of(new StoreAll()).in("r1", new RecomputeAll()),
                new Fit(Budget.share(0.6)));
    }

    /** The program with its steps in regions, nested and repeated, and a loop around some. */
    private static Fn<List<Tensor>, Tensor> inRegions(RandomProgram program, long seed) {
        return in -> {
            var random = new Random(seed);
            var values = new ArrayList<>(in);
            Tensor sum = in.getFirst().mean();
            for (var step : program.steps()) {
                var operands = step.operands().stream().map(values::get).toList();
                Tensor value =
                        switch (random.nextInt(4)) {
                            case 0 -> step.move().op().apply(operands);
                            case 1 ->
                                    Ebb.region(
                                            "r" + random.nextInt(3),
                                            () ->
                                                    Ebb.region(
                                                            "inner",
                                                            () ->
                                                                    step.move()
                                                                            .op()
                                                                            .apply(operands)));
                            default ->
                                    Ebb.region(
                                            "r" + random.nextInt(6),
                                            () -> step.move().op().apply(operands));
                        };
                if (random.nextInt(5) == 0) {
                    var start = value;
                    value =
                            Ebb.region(
                                    "loop", () -> Loop.repeat(3, start, x -> x.sin().add(start)));
                }
                values.add(value);
                sum = sum.add(value.mean());
            }
            return sum;
        };
    }

    /** A gradient, one that is used in what follows, or one of a gradient. */
    private static Fn<List<Tensor>, List<Tensor>> form(Fn<List<Tensor>, Tensor> f, int seed) {
        return switch (seed % 3) {
            case 0 -> Ebb.grad(f);
            case 1 -> in -> updated(f, in);
            default -> Ebb.grad((List<Tensor> in) -> size(Ebb.grad(f).apply(in)).add(f.apply(in)));
        };
    }

    /** Steps along the gradient, in regions of their own and in those that came before. */
    private static List<Tensor> updated(Fn<List<Tensor>, Tensor> f, List<Tensor> in) {
        var g = Ebb.grad(f).apply(in);
        var moved = new ArrayList<Tensor>();
        for (int i = 0; i < in.size(); i++) {
            var x = in.get(i);
            var dx = g.get(i);
            moved.add(Ebb.region("r" + i, () -> x.sub(dx.tanh().mul(0.1))));
        }
        var again = Ebb.region("update", () -> Ebb.grad(f).apply(moved));
        for (int i = 0; i < in.size(); i++) moved.set(i, moved.get(i).sub(again.get(i)));
        return moved;
    }

    private static Tensor size(List<Tensor> all) {
        Tensor sum = all.getFirst().square().sum();
        for (Tensor t : all.subList(1, all.size())) sum = sum.add(t.square().sum());
        return sum;
    }

    @Test
    void everyStrategyPlansEveryRandomProgram(@TempDir Path folder) {
        var faults = new ArrayList<String>();
        for (int seed = 0; seed < PROGRAMS; seed++) {
            var program = RandomProgram.of(seed, LENGTH);
            var f = form(inRegions(program, seed), seed);
            List<Tensor> x = new ArrayList<>(program.inputs());
            try (var all = Ebb.compile(f).on(Devices.reference())) {
                var expected = all.apply(x);
                for (int k = 0; k < planners().size(); k++) {
                    var planner = planners().get(k);
                    // the random programs of other tests are fitted to budgets
                    if (planner instanceof Fit && seed % 4 > 0) continue;
                    // one in four runs; all are planned
                    boolean runs = (seed + k) % 4 == 0;
                    check(planner, f, x, expected, runs, seed, folder, faults);
                }
            }
        }
        assertThat(faults).isEmpty();
    }

    private static void check(
            Planner planner,
            Fn<List<Tensor>, List<Tensor>> f,
            List<Tensor> x,
            List<Tensor> expected,
            boolean runs,
            int seed,
            Path folder,
            List<String> faults) {
        var budget =
                seed % 3 == 0
                        ? Budget.unlimited().with(Disk.in(folder, 4L << 20))
                        : Budget.unlimited();
        var base = Ebb.compile(f).within(budget).on(Devices.best()).with(planner);
        try (var compiled = seed % 2 == 0 ? base.only(Ways.of(Way.DISK)) : base) {
            compiled.plan(x);
            if (!runs) return;
            var found = compiled.apply(x);
            for (int i = 0; i < x.size(); i++)
                if (!found.get(i).sameBits((Array) expected.get(i)))
                    faults.add("seed " + seed + ", " + planner + ": other bits of " + i);
        } catch (OverBudgetException e) {
            if (!e.getMessage().contains(";")) faults.add("seed " + seed + ": " + e.getMessage());
        } catch (RuntimeException e) {
            faults.add("seed " + seed + ", " + planner + ": " + e);
        }
    }
}
