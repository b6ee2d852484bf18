package dev.ebb.plan.schedule;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.loop.CheckpointSplits;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The states that a loop offloads to a place outside the arena. A loop uses its states as a stack,
 * so those at the bottom are written and read least often; these are offloaded. The number of
 * forward steps is the same as with all states in memory, and no schedule over both kinds of memory
 * needs fewer.
 *
 * @param key identifies the checkpoint memory that the forward loop writes and its reverse reads
 * @param carries the values of which a state consists
 * @param forward whether this is the forward loop, not its reverse
 */
public record LoopStates(
        Value key,
        CheckpointArea area,
        int iterations,
        IterationCosts costs,
        List<Value> carries,
        boolean forward) {

    /** The states of {@code node}, if it is a loop that keeps states in a place. */
    public static Optional<LoopStates> of(Node node) {
        if (node.kernel() instanceof Control.Scan k
                && k.checkpointing() instanceof Control.Checkpointing.Checkpoints(var area, _)
                && area.offloaded() > 0) {
            var key = node.outputs().get(k.body().results().size());
            return Optional.of(new LoopStates(key, area, k.times(), k.costs(), carries(k), true));
        }
        if (node.kernel() instanceof Control.ReverseScan s && s.area().offloaded() > 0) {
            var k = s.forward();
            var key = node.inputs().get(k.body().params().size() + (k.counted() ? 1 : 0));
            return Optional.of(
                    new LoopStates(key, s.area(), k.times(), k.costs(), carries(k), false));
        }
        return Optional.empty();
    }

    private static List<Value> carries(Control.Scan k) {
        return k.body().params().subList(k.constants(), k.constants() + k.carries());
    }

    /**
     * The numbers of transfers of states.
     *
     * @param places the number of state slots in the place that are ever used
     */
    public record Moves(long writes, long reads, int places) {
        static final Moves NONE = new Moves(0, 0, 0);

        Moves and(Moves other) {
            return new Moves(
                    writes + other.writes, reads + other.reads, Math.max(places, other.places));
        }
    }

    private record Stretch(int from, int to, int level) {}

    /** The bytes of the states in the place. */
    public long bytes() {
        return all().places * area.state();
    }

    /**
     * The seconds that the loop waits for transfers if its kernels take {@code kernels} seconds.
     * Without memory for a state in transfer it waits for every transfer. With it, a write overlaps
     * with the iterations that run before the next write, and a read with the stretch that is taped
     * and reversed before the state is needed.
     */
    public double seconds(Place place, double kernels) {
        double write = 0;
        double read = 0;
        for (Value v : carries) {
            write += place.toWrite(v.type().bytes());
            read += place.toRead(v.type().bytes());
        }
        long first = Math.min(area.offloaded(), splits().positions(iterations).size());
        double hidden = area.moving() * kernels;
        if (forward) return Math.max(0, first * write - hidden);
        var all = all();
        double stretch = hidden * area.capacity(splits().levels()) / Math.max(1, iterations);
        return Math.max(0, (all.writes - first) * write - hidden / 2)
                + all.reads * Math.max(0, read - stretch);
    }

    private CheckpointSplits splits() {
        return CheckpointSplits.of(costs, area, iterations);
    }

    /**
     * The transfers of the whole schedule, of the loop and its reverse. If all iterations cost the
     * same, stretches of one length are reversed in the same way, so that only few need to be
     * examined for a loop of any length.
     */
    public Moves all() {
        var splits = splits();
        var known = new HashMap<Stretch, Moves>();
        var open = new ArrayDeque<Stretch>();
        var whole = new Stretch(0, iterations, 0);
        open.push(whole);
        while (!open.isEmpty()) {
            var s = open.peek();
            var own = Moves.NONE;
            int middle = splits.next(s.from, s.to, s.level);
            boolean waits = false;
            if (middle > s.from) {
                if (s.level < area.offloaded()) own = new Moves(1, 0, s.level + 1);
                var after = alike(middle, s.to, s.level + 1);
                waits = wanted(after, known, open);
                own = own.and(known.getOrDefault(after, Moves.NONE));
            } else {
                middle = splits.taped(s.from, s.to, s.level);
            }
            if (middle > s.from) {
                // the state at which both parts begin is read once more
                if (s.level > 0 && s.level <= area.offloaded()) own = own.and(new Moves(0, 1, 0));
                var before = alike(s.from, middle, s.level);
                waits |= wanted(before, known, open);
                own = own.and(known.getOrDefault(before, Moves.NONE));
            }
            if (waits) continue;
            known.put(s, own);
            open.pop();
        }
        return known.getOrDefault(whole, Moves.NONE);
    }

    private boolean wanted(Stretch s, Map<Stretch, Moves> known, ArrayDeque<Stretch> open) {
        if (s.level > area.offloaded() || known.containsKey(s)) return false;
        open.push(s);
        return true;
    }

    private Stretch alike(int from, int to, int level) {
        return costs.isEven() ? new Stretch(0, to - from, level) : new Stretch(from, to, level);
    }
}
