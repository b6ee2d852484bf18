package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.reference.Reference;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Step;
import dev.ebb.reference.Checker;
import dev.ebb.reference.RandomModel;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A cache changes how long planning takes, and nothing else. */
class CachedPlansTest {
    private static final int PROGRAMS = 4;

    @TempDir Path folder;

    private record Made(List<Step> steps, long arena, double cost, long least) {
        static Made of(Plan plan) {
            return new Made(
                    plan.schedule().steps(),
                    plan.layout().arenaBytes(),
                    plan.cost(),
                    plan.leastBytes());
        }
    }

    private record Program(RandomModel model, Budget budget, Made expected) {}

    /** Random programs, one of three with a disk, planned without a cache that outlives them. */
    private List<Program> programs() throws IOException {
        var disk = Files.createDirectories(folder.resolve("disk"));
        var all = new ArrayList<Program>();
        for (int seed = 40; seed < 40 + PROGRAMS; seed++) {
            var model = RandomModel.of(new Random(seed));
            var free = function(model).plan(model.inputs());
            long least = free.leastBytes();
            var budget = Budget.bytes(least + (free.storeAllBytes() - least) / 3);
            if (seed % 3 == 0) budget = budget.with(Disk.in(disk, 4L << 20));
            all.add(new Program(model, budget, Made.of(plan(model, budget, PlanCache.inMemory()))));
        }
        return all;
    }

    private static Compiled<List<Tensor>, Ebb.ValueAndGrad<List<Tensor>>> function(
            RandomModel model) {
        return Ebb.compile(Ebb.valueAndGrad(model)).on(new Reference());
    }

    private static Plan plan(RandomModel model, Budget budget, PlanCache cache) {
        return function(model).within(budget).caching(cache).plan(model.inputs());
    }

    private List<Path> entries() throws IOException {
        try (var files = Files.list(folder.resolve("plans"))) {
            return files.sorted().toList();
        }
    }

    @Test
    void plansAreTheSameWithAnEmptyAFullAndAWrongCache() throws IOException {
        var programs = programs();
        var plans = folder.resolve("plans");
        for (var p : programs)
            assertThat(Made.of(plan(p.model, p.budget, PlanCache.in(plans)))).isEqualTo(p.expected);
        var before = entries();
        for (var p : programs)
            assertThat(Made.of(plan(p.model, p.budget, PlanCache.in(plans)))).isEqualTo(p.expected);
        assertThat(entries()).as("what is found is not searched for again").isEqualTo(before);
        // every entry under the key of another
        var contents = new ArrayList<byte[]>();
        for (var file : before) contents.add(Files.readAllBytes(file));
        for (int i = 0; i < before.size(); i++)
            Files.write(before.get(i), contents.get((i + 1) % before.size()));
        for (var p : programs) {
            var plan = plan(p.model, p.budget, PlanCache.in(plans));
            assertThat(Checker.check(plan.layout(), _ -> 1).end())
                    .isLessThanOrEqualTo(plan.layout().arenaBytes());
            assertThat(Made.of(plan)).isEqualTo(p.expected);
        }
    }

    @Test
    void anotherBudgetOfTheSameFunctionGoesOnFromWhatIsKnown() {
        var model = RandomModel.of(new Random(7));
        var x = model.inputs();
        var shared = function(model);
        long all = shared.plan(x).storeAllBytes();
        long least = shared.plan(x).leastBytes();
        // asked in another order than anew
        for (double share : new double[] {0.7, 0, 0.3}) {
            var budget = Budget.bytes(least + (long) ((all - least) * share));
            assertThat(Made.of(shared.within(budget).plan(x)))
                    .isEqualTo(Made.of(function(model).within(budget).plan(x)));
        }
    }
}
