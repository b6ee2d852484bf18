package dev.ebb.reference;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.Tape;
import dev.ebb.exec.Device;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Every;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Planner;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

/**
 * One random program, run with everything kept and then in another way: in a random budget, in the
 * least and one byte below, with places outside the arena, by a strategy, on a tape. It must have
 * the same bits, stay within the budget by counts of its own, and write nothing outside its memory,
 * in its first run and in later ones, when a device may have made one method of it; each run takes
 * other arguments than the one before.
 *
 * @param wide whether it has {@link WideBlocks} too
 * @param device what it runs on, measured; its bits are those of {@code base}
 */
public record Trial(long seed, boolean wide, Device base, Device device, Path folder) {
    /** So that the last ones are after a device has made one method of the program, if it does. */
    private static final int MANY = 12;

    private static final int FEW = 2;

    public Trial(long seed, Device base, Device device, Path folder) {
        this(seed, false, base, device, folder);
    }

    /** In which way a program was run. */
    public enum Way {
        BUDGET,
        LEAST,
        PLACES,
        STRATEGY,
        TAPE
    }

    private record Both(List<Array> arrays) {
        boolean sameBits(Both other) {
            for (int i = 0; i < arrays.size(); i++)
                if (!arrays.get(i).sameBits(other.arrays.get(i))) return false;
            return true;
        }
    }

    /** Runs it; an {@link AssertionError} says what did not hold. */
    public Way run() {
        var random = new Random(seed);
        var way = Way.values()[random.nextInt(Way.values().length)];
        var model = RandomModel.of(random, wide);
        try {
            check(way, model, random);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "seed " + seed + ", " + way + " on " + device.signature() + ": " + model, e);
        }
        return way;
    }

    private void check(Way way, RandomModel model, Random random) {
        var f = Ebb.valueAndGrad(model);
        var x = model.inputs();
        if (way == Way.TAPE) {
            tape(model, random);
            return;
        }
        var expected = new ArrayList<Both>();
        try (var kept = Ebb.compile(f).on(base)) {
            for (var each : List.of(x, other(x))) expected.add(both(kept.apply(each)));
        }
        // plans at several budgets share what is searched for
        var here = Ebb.compile(f).on(device);
        long all = here.plan(x).storeAllBytes();
        switch (way) {
            case BUDGET -> {
                long bytes = (long) (all * (0.3 + 0.7 * random.nextDouble()));
                inBudget(here, x, fitting(here, x, Budget.bytes(bytes)), expected);
            }
            case LEAST -> least(here, x, expected);
            case PLACES -> {
                var places = places();
                var bytes = Budget.bytes((long) (all * (0.2 + 0.4 * random.nextDouble())));
                var budget = new Budget.WithPlaces(bytes, places);
                inBudget(here, x, fitting(here, x, budget), expected);
            }
            case STRATEGY -> {
                boolean beside = random.nextBoolean();
                var places = beside ? places() : List.<Place>of();
                var within = here.within(new Budget.WithPlaces(Budget.unlimited(), places));
                try (var run = within.with(strategy(random, beside))) {
                    measured(run, x, Long.MAX_VALUE, expected);
                }
            }
            case TAPE -> throw new AssertionError();
        }
    }

    /** One to three places, of any kind, room and speed, in any order; a large disk among them. */
    private List<Place> places() {
        var random = new Random(-seed);
        var places = new ArrayList<Place>();
        for (int more = random.nextInt(3); more > 0; more--) {
            long room = random.nextBoolean() ? 4L << 20 : (8 + random.nextInt(64)) << 10;
            double rate = Math.pow(10, 8 + 3 * random.nextDouble());
            var speed = new Speed(rate, 2 * rate, 1e-7);
            places.add(
                    random.nextBoolean()
                            ? new Host(Host.Kind.PAGEABLE, room, speed)
                            : new Disk(folder, room, speed));
        }
        places.add(random.nextInt(places.size() + 1), Disk.in(folder, 4L << 20));
        return places;
    }

    private static Planner strategy(Random random, boolean beside) {
        return switch (random.nextInt(5)) {
            case 0 -> new StoreAll();
            case 1 -> new RecomputeAll();
            case 2 -> new Every(1 + random.nextInt(4));
            case 3 -> Segments.sqrt();
            default -> new Binomial(1 + random.nextInt(4), beside ? random.nextInt(4) : 0);
        };
    }

    /** The least runs, and one byte less is refused with it. */
    private void least(
            Compiled<List<Tensor>, Ebb.ValueAndGrad<List<Tensor>>> here,
            List<Tensor> x,
            List<Both> expected) {
        long least = here.plan(x).leastBytes();
        inBudget(here, x, Budget.bytes(least), expected);
        try (var run = here.within(Budget.bytes(least - 1))) {
            run.plan(x);
        } catch (OverBudgetException e) {
            if (e.leastBytes() == least) return;
            throw new AssertionError("the least is " + least + " and then " + e.leastBytes());
        }
        throw new AssertionError("a byte less than the least, " + least + ", is not refused");
    }

    /** {@code budget}, or the least that a refusal of it names: that is what takes long to find. */
    private static Budget fitting(
            Compiled<List<Tensor>, Ebb.ValueAndGrad<List<Tensor>>> here,
            List<Tensor> x,
            Budget budget) {
        try (var run = here.within(budget)) {
            run.plan(x);
            return budget;
        } catch (OverBudgetException e) {
            var least = Budget.bytes(e.leastBytes());
            return budget.places().isEmpty()
                    ? least
                    : new Budget.WithPlaces(least, budget.places());
        }
    }

    private void inBudget(
            Compiled<List<Tensor>, Ebb.ValueAndGrad<List<Tensor>>> here,
            List<Tensor> x,
            Budget budget,
            List<Both> expected) {
        try (var run = here.within(budget)) {
            measured(run, x, budget.resolve(0), expected);
        }
    }

    private void measured(
            Compiled<List<Tensor>, Ebb.ValueAndGrad<List<Tensor>>> run,
            List<Tensor> x,
            long budget,
            List<Both> expected) {
        var plan = run.plan(x);
        var verdict = Checker.check(plan.layout(), _ -> 1);
        long own = plan.workerBytes();
        require(verdict.peak() + own <= budget, "over the budget by the count of steps", budget);
        require(verdict.end() <= plan.layout().arenaBytes(), "outside the arena", budget);
        var arguments = List.of(x, other(x));
        int runs = runs();
        for (int i = 0; i < runs; i++) {
            var found = both(run.apply(arguments.get(i % 2)));
            require(found.sameBits(expected.get(i % 2)), "other bits in run " + i, budget);
        }
        require(run.report().promisedBytes() <= budget, "promised over the budget", budget);
        require(
                run.report().measuredBytes() <= run.report().promisedBytes(),
                "measured over the promise",
                budget);
        for (var there : run.report().places()) {
            require(there.promisedBytes() <= there.place().bytes(), "too much in a place", budget);
            require(there.measuredBytes() == there.promisedBytes(), "not as promised", budget);
            require(
                    verdict.beside().getOrDefault(there.place(), 0L) <= there.promisedBytes(),
                    "outside " + there.place(),
                    budget);
        }
        if (!(device instanceof Guarded guarded)) return;
        var touched = guarded.touched();
        require(touched.allocated() + own <= budget, "allocated over the budget", budget);
        require(
                touched.end() + own <= run.report().measuredBytes(),
                "written above what was measured",
                budget);
    }

    private void tape(RandomModel model, Random random) {
        var expected = onTape(model, Budget.unlimited());
        long least = refused(model, 1).orElseThrow();
        require(onTape(model, Budget.bytes(least)).sameBits(expected), "other bits", least);
        require(
                refused(model, least - 1).orElse(0) == least,
                "a byte less than the least of a tape is not refused with it",
                least);
        long bytes = least + random.nextInt(1 << 16);
        require(onTape(model, Budget.bytes(bytes)).sameBits(expected), "other bits", bytes);
    }

    /** The least budget that a tape of {@code bytes} is refused with. */
    private OptionalLong refused(RandomModel model, long bytes) {
        try {
            var _ = onTape(model, Budget.bytes(bytes));
            return OptionalLong.empty();
        } catch (OverBudgetException e) {
            return OptionalLong.of(e.leastBytes());
        }
    }

    private Both onTape(RandomModel model, Budget budget) {
        try (var tape = new Tape(budget, device)) {
            var x = tape.watch(model.inputs());
            var loss = tape.run(() -> model.apply(x));
            var grads = tape.gradient(loss, x);
            var arrays = new ArrayList<>(List.of(tape.array(loss)));
            for (var g : grads) arrays.add(tape.array(g));
            require(
                    tape.report().measuredBytes() <= budget.resolve(0),
                    "a tape over its budget",
                    budget.resolve(0));
            if (device instanceof Guarded guarded) guarded.touched();
            return new Both(arrays);
        }
    }

    private int runs() {
        try (var queue = device.open()) {
            return queue.compiledAfter() < Integer.MAX_VALUE ? MANY : FEW;
        }
    }

    /** Other numbers of the same types. */
    private static List<Tensor> other(List<Tensor> x) {
        return x.stream().<Tensor>map(t -> t.mul(-0.75)).toList();
    }

    private static Both both(Ebb.ValueAndGrad<List<Tensor>> found) {
        var arrays = new ArrayList<>(List.of((Array) found.value()));
        for (var g : found.grad()) arrays.add((Array) g);
        return new Both(arrays);
    }

    private static void require(boolean holds, String fault, long budget) {
        if (!holds) throw new AssertionError(fault + ", of " + budget + " bytes");
    }
}
