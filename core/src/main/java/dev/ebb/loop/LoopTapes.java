package dev.ebb.loop;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.pass.Lowered;
import dev.ebb.pass.Reversals;
import dev.ebb.pass.ReversedIteration;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.loop.EvenSplits;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.search.TapeSearch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses the values that the tapes of loops hold. A smaller tape allows more iterations on tape,
 * but makes the reverse of an iteration recompute more. Each loop has a list of candidate tapes,
 * computed once for equal iterations; the one is taken with which the loop and its reverse are
 * fastest in the given checkpoint area.
 */
final class LoopTapes {
    /** The most tapes of a loop that are compared: the first, the last and some between them. */
    private static final int MOST = 24;

    /** A loop of unknown length keeps at most this many states, the first included. */
    static final int UNKNOWN_STATES = 32;

    /**
     * A set of values to keep on tape.
     *
     * @param bytes the bytes of such a tape
     * @param taping the cost of an iteration that writes it
     * @param backward the cost of a reverse iteration that reads it
     * @param copying the cost of moving it once
     */
    record Tape(Set<Value> kept, long bytes, double taping, double backward, double copying) {

        /** The cost of an iteration and its reverse, with the tape written once and read once. */
        double seconds() {
            return taping + backward + 1.5 * copying;
        }
    }

    private record Known(double ahead, List<Tape> tapes) {}

    private final Cost cost;
    private final SearchCache cache;
    private final Map<Graph, Tape> fastest = new HashMap<>();
    private final Map<Graph, Known> known = new HashMap<>();

    LoopTapes(Cost cost, SearchCache cache) {
        this.cost = cost;
        this.cache = cache;
    }

    /** The smallest tape with which {@code loop} can be reversed. */
    synchronized Tape least(Reversals.Reversed loop) {
        return known(loop).tapes.getLast();
    }

    /**
     * The checkpoint area of {@code bytes} bytes, with the tape with which the loop and its reverse
     * are fastest.
     */
    synchronized Reversals.CheckpointPlan best(
            Reversals.Reversed loop, long bytes, int offloaded, int place) {
        var known = known(loop);
        Tape best = known.tapes.getLast();
        double least = Double.POSITIVE_INFINITY;
        for (var tape : known.tapes) {
            if (tape.bytes > bytes) continue;
            double seconds =
                    seconds(
                            loop,
                            memory(loop, bytes, tape.bytes).above(offloaded, place),
                            known.ahead,
                            tape);
            if (seconds < least) {
                best = tape;
                least = seconds;
            }
        }
        return new Reversals.CheckpointPlan(
                memory(loop, bytes, best.bytes).above(offloaded, place), best.kept);
    }

    /**
     * The checkpoint area for the tapes of all iterations, each with the values that are faster to
     * keep than to recompute.
     */
    synchronized Reversals.CheckpointPlan full(Reversals.Reversed loop) {
        var tape = fastest(loop.iteration());
        return new Reversals.CheckpointPlan(memory(loop, Long.MAX_VALUE, tape.bytes), tape.kept);
    }

    /**
     * The fastest tape: of the values that the reverse of an iteration reads, those that take
     * longer to recompute than to write and read. No other tape of the list is faster, so that more
     * memory never costs time.
     */
    private Tape fastest(ReversedIteration iteration) {
        return fastest.computeIfAbsent(
                iteration.graph(),
                _ -> {
                    var best = tape(iteration, iteration.fullTape());
                    for (Value v : iteration.fullTape()) {
                        var less = new LinkedHashSet<>(best.kept);
                        less.remove(v);
                        var without = tape(iteration, less);
                        if (without.seconds() < best.seconds()) best = without;
                    }
                    var none = tape(iteration, Set.of());
                    return none.seconds() < best.seconds() ? none : best;
                });
    }

    private static CheckpointArea memory(Reversals.Reversed loop, long bytes, long tape) {
        long iterations = Math.max(1, loop.iterations());
        long most =
                loop.isLengthKnown()
                        ? iterations * tape
                        : tape + (Math.min(UNKNOWN_STATES, iterations) - 1) * loop.state();
        return new CheckpointArea(Math.min(bytes, most), loop.state(), tape, Integer.MAX_VALUE);
    }

    /** The predicted time of the loop and its reverse, as in {@link dev.ebb.plan.cost.Roofline}. */
    private static double seconds(
            Reversals.Reversed loop, CheckpointArea area, double ahead, Tape tape) {
        int times = loop.iterations();
        var splits = new EvenSplits(area, times);
        int taped = times == 0 ? 0 : Math.min(times, splits.capacity(0));
        double again = splits.ahead(0, times, 0);
        if (loop.isLengthKnown()) again = Math.max(0, again - (times - taped));
        int left = loop.isLengthKnown() ? times - taped : times;
        return (times - taped) * ahead
                + taped * (tape.taping + tape.copying / 2)
                + again * ahead
                + left * tape.taping
                + times * (tape.backward + tape.copying);
    }

    private Known known(Reversals.Reversed loop) {
        return known.computeIfAbsent(loop.iteration().graph(), _ -> found(loop.iteration()));
    }

    /** The search for the values of an iteration to keep for its reverse. */
    static TapeSearch search(ReversedIteration iteration) {
        var carries = new HashSet<>(iteration.carries());
        var params = new HashSet<>(iteration.forwardParams());
        return new TapeSearch(
                iteration.graph(),
                iteration.forwardParams(),
                iteration.forwardResults(),
                iteration::isEarly,
                v -> carries.contains(v) || iteration.isEarlyAndChanging(v) && !params.contains(v));
    }

    private Known found(ReversedIteration iteration) {
        var search = search(iteration);
        var all = new ArrayList<Tape>();
        for (var kept : search.tapes(cost, cache)) all.add(tape(iteration, kept));
        all.add(tape(iteration, Set.of()));
        var fastest = fastest(iteration);
        all.removeIf(t -> t.bytes >= fastest.bytes || t.seconds() < fastest.seconds());
        all.add(fastest);
        var best = undercut(all);
        var some = new ArrayList<Tape>();
        int count = Math.min(MOST, best.size());
        for (int i = 0; i < count; i++)
            some.add(best.get(count == 1 ? 0 : i * (best.size() - 1) / (count - 1)));
        double ahead =
                early(iteration, iteration.forwardResults().subList(0, iteration.carries().size()));
        return new Known(ahead, some);
    }

    /** The tapes that no smaller one beats in time, largest first. */
    private static List<Tape> undercut(List<Tape> all) {
        var sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingLong(Tape::bytes).thenComparingDouble(Tape::seconds));
        var best = new ArrayList<Tape>();
        for (var tape : sorted)
            if (best.isEmpty() || tape.seconds() < best.getLast().seconds()) best.add(tape);
        return best.reversed();
    }

    private Tape tape(ReversedIteration iteration, Set<Value> kept) {
        var first =
                new ArrayList<>(iteration.forwardResults().subList(0, iteration.carries().size()));
        first.addAll(kept);
        long bytes = iteration.tapeBytes(kept);
        double backward = 0;
        for (Node node : iteration.second(kept).nodes()) backward += cost.of(node);
        return new Tape(kept, bytes, early(iteration, first), backward, copying(bytes));
    }

    /** The cost of the early nodes that {@code results} need. */
    private double early(ReversedIteration iteration, Collection<Value> results) {
        var needed = new HashSet<>(results);
        double sum = 0;
        for (Node node : iteration.graph().nodes().reversed()) {
            if (!iteration.isEarly(node) || node.outputs().stream().noneMatch(needed::contains))
                continue;
            needed.addAll(node.inputs());
            sum += cost.of(node);
        }
        return sum;
    }

    /** The cost of moving {@code bytes}: that of a kernel that copies them. */
    private double copying(long bytes) {
        if (bytes == 0) return 0;
        var type = new Type(DType.F32, Shape.of(Math.toIntExact(Math.ceilDiv(bytes, 64)), 16));
        var from = new Value(0, type);
        var to = new Value(1, type);
        var view = View.contiguous(type.shape());
        var kernel = Kernel.Map.of(type.shape(), List.of(view), Scalar.arg(0));
        var op = new Lowered("copy", kernel, List.of(type), Set.of(), List.of());
        return cost.of(new Node(op, List.of(from), List.of(to), Region.TOP, false));
    }
}
