package dev.ebb;

import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Place;
import dev.ebb.trace.Trace;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The plans of one compiled function, one for each combination of argument types, and the arenas of
 * the most recently used ones. One budget limits all arenas together: the least recently used are
 * released to make room. Plans without an arena are kept too, up to a fixed number.
 */
final class Plans<R> implements AutoCloseable {
    /** The number of plans that are kept, the latest ones. */
    static final int MOST = 64;

    private final ProgramPlanner planner;
    private final Map<Object, Kind<R>> kinds = new HashMap<>();

    /** All entries, the most recently used last. */
    private final LinkedHashSet<Entry<R>> byUse = new LinkedHashSet<>();

    Plans(ProgramPlanner planner) {
        this.planner = planner;
    }

    /** A function traced at an argument; its result has the tree structure of {@code structure}. */
    record Traced<R>(Trace trace, R structure, List<Double> numbers, int mostChunks) {}

    /** Traces the function; numbers at these places become parameters. */
    interface Tracer<R> {
        Traced<R> with(BitSet changing, int chunks);
    }

    /**
     * A kind of argument: all that differ only in their Java numbers, and the positions of the
     * numbers that have changed so far.
     */
    private static final class Kind<R> {
        final Object key;
        final List<Entry<R>> entries = new ArrayList<>();
        BitSet changing = new BitSet();
        boolean asItIs;

        /** The number of chunks in which derivatives such as Jacobians are traced. */
        int chunks = 1;

        Kind(Object key) {
            this.key = key;
        }
    }

    /** A plan, and the argument and structure it was used for last. */
    static final class Entry<R> {
        private final Kind<R> kind;
        private final PreparedProgram prepared;
        private Object signature;
        private R structure;
        private List<Double> numbers;

        private Entry(Kind<R> kind, PreparedProgram prepared, Object signature, Traced<R> traced) {
            this.kind = kind;
            this.prepared = prepared;
            this.signature = signature;
            structure = traced.structure;
            numbers = traced.numbers;
        }

        PreparedProgram prepared() {
            return prepared;
        }

        R structure() {
            return structure;
        }
    }

    /**
     * The entry for an argument, given its signature with and without its Java numbers; the
     * function is traced if the argument differs from the last one.
     */
    Entry<R> entry(Object numberless, Object signature, int arguments, Tracer<R> tracer) {
        var kind = kinds.computeIfAbsent(numberless, Kind<R>::new);
        for (var entry : kind.entries) {
            if (entry.signature.equals(signature) && entry.prepared.isReady()) return used(entry);
        }
        var traced = tracer.with(kind.changing, kind.chunks);
        for (var entry : kind.entries)
            if (entry.prepared.graph().equals(traced.trace.graph()))
                return again(entry, signature, traced);
        return learn(kind, traced)
                ? withNumbers(kind, signature, arguments, tracer)
                : planned(kind, signature, arguments, traced, tracer);
    }

    /**
     * Records which numbers have changed; returns whether one of them changed for the first time.
     */
    private boolean learn(Kind<R> kind, Traced<R> traced) {
        if (kind.asItIs || kind.entries.isEmpty()) return false;
        var before = kind.entries.getLast().numbers;
        if (before.size() != traced.numbers.size()) return false;
        boolean news = false;
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i).equals(traced.numbers.get(i)) || kind.changing.get(i)) continue;
            kind.changing.set(i);
            news = true;
        }
        return news;
    }

    /**
     * The entry whose changing numbers are parameters, if that fits the budget; otherwise one with
     * the numbers of this call as constants.
     */
    private Entry<R> withNumbers(Kind<R> kind, Object signature, int arguments, Tracer<R> tracer) {
        try {
            var entry = planned(kind, signature, arguments, tracer);
            // older entries have constants for numbers that are parameters now
            for (var other : List.copyOf(kind.entries)) if (other != entry) drop(other);
            return entry;
        } catch (OverBudgetException e) {
            kind.asItIs = true;
            kind.changing = new BitSet();
            return planned(kind, signature, arguments, tracer);
        }
    }

    private Entry<R> again(Entry<R> entry, Object signature, Traced<R> traced) {
        entry.prepared.capture(PreparedProgram.data(traced.trace.captured()));
        entry.signature = signature;
        entry.structure = traced.structure;
        entry.numbers = traced.numbers;
        return used(entry);
    }

    private Entry<R> planned(Kind<R> kind, Object signature, int arguments, Tracer<R> tracer) {
        var traced = tracer.with(kind.changing, kind.chunks);
        return planned(kind, signature, arguments, traced, tracer);
    }

    /** Plans with more and more chunks, if the trace has any, until the plan fits the budget. */
    private Entry<R> planned(
            Kind<R> kind, Object signature, int arguments, Traced<R> first, Tracer<R> tracer) {
        var traced = first;
        while (true) {
            try {
                return planned(kind, signature, arguments, traced);
            } catch (OverBudgetException e) {
                if (kind.chunks >= traced.mostChunks) throw e;
                kind.chunks = Math.min(traced.mostChunks, 2 * kind.chunks);
                traced = tracer.with(kind.changing, kind.chunks);
            }
        }
    }

    private Entry<R> planned(Kind<R> kind, Object signature, int arguments, Traced<R> traced) {
        var done = EventRecorder.recorder().compiling();
        var captured = PreparedProgram.data(traced.trace.captured());
        var prepared = PreparedProgram.of(traced.trace.graph(), captured, arguments, planner);
        done.accept(prepared.plan());
        var entry = new Entry<>(kind, prepared, signature, traced);
        kind.entries.add(entry);
        kinds.put(kind.key, kind);
        used(entry);
        while (byUse.size() > MOST) drop(byUse.getFirst());
        return entry;
    }

    /** Marks {@code entry} as the most recently used and returns it. */
    Entry<R> used(Entry<R> entry) {
        if (byUse.isEmpty() || byUse.getLast() != entry) byUse.addLast(entry);
        return entry;
    }

    private void drop(Entry<R> entry) {
        entry.prepared.close();
        byUse.remove(entry);
        entry.kind.entries.remove(entry);
        if (entry.kind.entries.isEmpty()) kinds.remove(entry.kind.key);
    }

    /**
     * Frees the arenas of other entries, the least recently used first, until that of {@code entry}
     * fits.
     */
    void makeRoom(Entry<R> entry) {
        if (entry.prepared.hasMemory()) return;
        var plan = entry.prepared.plan();
        long left = planner.budget().resolve(plan.storeAllBytes()) - plan.peakBytes();
        var held = new ArrayList<>(List.of(entry));
        for (var other : byUse) {
            if (!other.prepared.hasMemory()) continue;
            left -= other.prepared.plan().peakBytes();
            held.add(other);
        }
        for (var other : List.copyOf(byUse)) {
            if (left >= 0 && fitPlaces(held)) break;
            if (!other.prepared.hasMemory()) continue;
            left += other.prepared.plan().peakBytes();
            held.remove(other);
            other.prepared.unload();
        }
    }

    /** Whether the values that these plans offload fit into the places together. */
    private static boolean fitPlaces(List<? extends Entry<?>> held) {
        var left = new HashMap<Place, Long>();
        for (var entry : held)
            for (var there : entry.prepared.plan().layout().places())
                left.merge(there.place(), there.bytes(), Long::sum);
        return left.entrySet().stream().allMatch(e -> e.getValue() <= e.getKey().bytes());
    }

    /** How many plans there are. */
    int size() {
        return byUse.size();
    }

    @Override
    public void close() {
        byUse.forEach(e -> e.prepared.close());
        byUse.clear();
        kinds.clear();
    }
}
