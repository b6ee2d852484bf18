package dev.ebb.cli.studio;

import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.report.CurveTable;
import dev.ebb.cli.report.PlanFigures;
import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The plans of one model at any budget. The curve of time against budget is searched in small steps
 * from the largest budget down, so that a request for one budget can be answered between two steps;
 * a budget far below the range searched so far waits for the search to reach it. A request whose
 * plan is not ready gets the plan of the nearest budget. When the curve is complete, plans are
 * computed in advance at budgets spread over it, coarse before fine.
 */
final class ModelPlans {

    /** Each step of the search goes down by this share of the store-all memory. */
    private static final double STRIDE = 0.015;

    /** A budget at most this far below the searched range is answered at once. */
    private static final double REACH = 0.3;

    /** The number of plans that are computed in advance. */
    private static final int AHEAD = 16;

    private final ModelKey key;
    private final PlanningBackend models;
    private final Runnable wake;
    private long lastUse;

    private Optional<PlanningBackend.Step> step = Optional.empty();
    private Optional<ModelGraph> graph = Optional.empty();
    private Optional<byte[]> drawing = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private Optional<TradeOff> tradeOff = Optional.empty();
    private OptionalLong least = OptionalLong.empty();
    private double searched = 1;
    private boolean bottom;
    private final List<Json> points = new ArrayList<>();
    private OptionalLong waiting = OptionalLong.empty();
    private final PlanResponses ready = new PlanResponses();
    private int ahead;

    ModelPlans(ModelKey key, PlanningBackend models, Runnable wake) {
        this.key = key;
        this.models = models;
        this.wake = wake;
    }

    ModelKey key() {
        return key;
    }

    synchronized void used(long at) {
        lastUse = at;
    }

    synchronized long lastUse() {
        return lastUse;
    }

    /** The graph; empty if it is not traced within {@code millis} milliseconds. */
    synchronized Optional<ModelGraph> graph(long millis) throws InterruptedException {
        pause(millis, () -> graph.isPresent());
        return graph;
    }

    /** The graph as JSON; empty if it is not traced within {@code millis} milliseconds. */
    synchronized Optional<byte[]> drawing(long millis) throws InterruptedException {
        pause(millis, () -> drawing.isPresent());
        return drawing;
    }

    /**
     * The plan within {@code budget} bytes as JSON. If it is not ready within {@code millis}
     * milliseconds, the plan of the nearest budget that is, marked as such; empty if there is none.
     */
    Optional<byte[]> answer(long budget, long millis) throws InterruptedException {
        synchronized (this) {
            if (ready.at(budget).isEmpty()) waiting = OptionalLong.of(budget);
        }
        wake.run();
        synchronized (this) {
            pause(millis, () -> ready.at(budget).isPresent());
            return ready.at(budget).or(() -> ready.near(budget));
        }
    }

    /** Waits until {@code ready} holds, an error occurred, or the time is over. */
    private void pause(long millis, BooleanSupplier ready) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!ready.getAsBoolean() && failure.isEmpty()) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) return;
            wait(left);
        }
        failure.ifPresent(
                why -> {
                    throw RequestError.wrong(why);
                });
    }

    /**
     * The plan within {@code budget} bytes: one that is ready, or else computed on the calling
     * thread.
     */
    Plan plan(long budget) {
        PlanningBackend.Step now;
        synchronized (this) {
            var known = ready.plan(budget);
            if (known.isPresent()) return known.get();
            now = step.orElseThrow(() -> new RequestError(409, "the model is not traced yet"));
        }
        try {
            return now.within().apply(Budget.bytes(budget));
        } catch (OverBudgetException e) {
            throw RequestError.wrong(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The graph of {@code plan}: the model's, or a graph of its own if states may be offloaded and
     * are therefore updated one by one.
     */
    synchronized ModelGraph graphOf(Plan plan) {
        var known = graph.orElseThrow();
        return plan.schedule().problem().graph().equals(known.problem().graph())
                ? known
                : new ModelGraph(plan, step.orElseThrow().names());
    }

    /** The part of the curve that is known so far. */
    synchronized Json curve() {
        var all = new LinkedHashMap<String, Json>();
        all.put("done", Json.of(tradeOff.isPresent()));
        step.ifPresent(
                s -> {
                    all.put("storeAll", Json.of(s.plan().storeAllBytes()));
                    all.put("storeAllCost", Json.of(s.plan().storeAllCost()));
                });
        all.put("points", Json.of(points));
        least.ifPresent(bytes -> all.put("least", Json.of(bytes)));
        tradeOff.ifPresent(t -> all.put("lines", CurveTable.pairs(t.lines())));
        return Json.of(all);
    }

    /** A task for the request that waits now, if it can be computed now. */
    synchronized Optional<Runnable> waitingTask() {
        if (failure.isPresent()) return Optional.empty();
        if (step.isEmpty()) return Optional.of(this::trace);
        if (waiting.isEmpty()) return Optional.empty();
        long budget = waiting.getAsLong();
        double share = (double) budget / step.get().plan().storeAllBytes();
        boolean near = share >= searched - REACH || bottom;
        return near ? Optional.of(guarded(() -> compute(budget))) : Optional.empty();
    }

    /**
     * The task that continues the search of the curve, or computes the next plan in advance; empty
     * if nothing is left to do.
     */
    synchronized Optional<Runnable> backgroundTask() {
        if (failure.isPresent() || step.isEmpty()) return Optional.empty();
        if (tradeOff.isPresent()) {
            return ahead < AHEAD ? Optional.of(guarded(this::makeAhead)) : Optional.empty();
        }
        return Optional.of(guarded(bottom ? this::finish : this::grow));
    }

    /**
     * Computes the plan at the next budget between the smallest budget and the store-all memory.
     */
    private void makeAhead() {
        long budget;
        synchronized (this) {
            ahead++;
            long most = step.orElseThrow().plan().storeAllBytes();
            long low = least.orElse(most);
            budget = low + (long) ((most - low) * PlanResponses.coarseToFine(ahead));
            if (ready.at(budget).isPresent()) return;
        }
        compute(budget);
    }

    /** Runs {@code task}; if it fails, all requests for this model get the error. */
    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | OutOfMemoryError e) {
                fail(e);
            }
        };
    }

    private void trace() {
        try {
            var made = models.step(key);
            var traced = new ModelGraph(made.plan(), made.names());
            var drawn = Responses.bytes(traced.json());
            synchronized (this) {
                step = Optional.of(made);
                graph = Optional.of(traced);
                drawing = Optional.of(drawn);
                notifyAll();
            }
            // from now on every request has a plan to show
            compute(made.plan().storeAllBytes());
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(e);
        }
    }

    private synchronized void fail(Throwable e) {
        failure = Optional.of(Optional.ofNullable(e.getMessage()).orElse(e.toString()));
        notifyAll();
    }

    private void compute(long budget) {
        try {
            var found = step.orElseThrow().within().apply(Budget.bytes(budget));
            var answer =
                    PlanFrame.of(
                            new PlanInBudget(found, budget),
                            graphOf(found),
                            graph.orElseThrow(),
                            "./ebb plan " + key.options() + " --budget " + budget,
                            figures(found, budget));
            put(budget, () -> ready.put(budget, Responses.bytes(answer), found));
        } catch (OverBudgetException e) {
            var answer = Responses.bytes(PlanFrame.refused(budget, e));
            put(budget, () -> ready.refuse(budget, answer));
        }
    }

    /** Stores an answer and wakes the requests that wait for it. */
    private synchronized void put(long budget, Runnable answer) {
        answer.run();
        if (waiting.isPresent() && waiting.getAsLong() == budget) waiting = OptionalLong.empty();
        notifyAll();
    }

    /** The figures that {@code ebb plan} prints, as far as they are known. */
    private SequencedMap<String, String> figures(Plan plan, long budget) {
        return key.graph().isEmpty()
                ? PlanFigures.of(new PlanInBudget(plan, budget), leastSoFar(), "").lines()
                : new BarePlan(plan).lines(leastSoFar());
    }

    private synchronized OptionalLong leastSoFar() {
        return least;
    }

    private void grow() {
        var now = step.orElseThrow();
        double share;
        synchronized (this) {
            share = searched - STRIDE;
        }
        long bytes = (long) (now.plan().storeAllBytes() * share);
        try {
            var found = now.within().apply(Budget.bytes(Math.max(1, bytes)));
            synchronized (this) {
                points.add(CurveTable.pair(bytes, found.cost()));
                searched = share;
            }
        } catch (OverBudgetException e) {
            synchronized (this) {
                bottom = true;
                least = OptionalLong.of(e.leastBytes());
                // they were made before the smallest budget was known
                ready.outdate();
            }
        }
    }

    private void finish() {
        var curve = step.orElseThrow().tradeOff().get();
        synchronized (this) {
            tradeOff = Optional.of(curve);
        }
    }
}
