package dev.ebb.plan;

import dev.ebb.ir.Control;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.cost.LoopTransferCost;
import dev.ebb.plan.loop.CheckpointSplits;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.ScheduleListener;
import dev.ebb.plan.schedule.Step;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How a plan provides the values that the backward half reads (kept, computed again, inverted,
 * fetched), and how much of the predicted time each of these ways takes beyond computing everything
 * once.
 *
 * @param kept values that the backward half reads and that stay in the arena until then
 * @param recomputed values computed again
 * @param iterated iterations of loops that are run again, and the bytes of their states
 * @param inverted values rebuilt from later values, including iterations of loops that are inverted
 * @param fetched values and states of loops read from places outside the arena; their cost is the
 *     time that the computation waits for them
 */
public record RestoreSummary(
        Part kept, Part recomputed, Part iterated, Part inverted, Part fetched) {

    /** A number of values, their total bytes, and their part of the predicted time. */
    public record Part(long count, long bytes, double cost) {
        static final Part NONE = new Part(0, 0, 0);

        Part and(long more, long moreBytes, double moreCost) {
            return new Part(count + more, bytes + moreBytes, cost + moreCost);
        }
    }

    /** The parts by name, in order. */
    public Map<String, Part> parts() {
        var parts = new LinkedHashMap<String, Part>();
        parts.put("kept", kept);
        parts.put("recomputed", recomputed);
        parts.put("iterated", iterated);
        parts.put("inverted", inverted);
        parts.put("fetched", fetched);
        return parts;
    }

    /**
     * The summary of a plan that costs {@code total}, where computing everything once and keeping
     * it costs {@code once}, and {@code undone} iterations of loops are inverted.
     */
    static RestoreSummary of(Layout layout, Cost cost, double total, double once, long undone) {
        var schedule = layout.schedule();
        var tally = new Tally(schedule, cost);
        schedule.tell(tally);
        return tally.mix(total, once, undone);
    }

    private static final class Tally implements ScheduleListener {
        private final Problem problem;
        private final Cost cost;
        private final Set<Value> kept;
        private double works;
        private double moving;
        private Part recomputed = Part.NONE;
        private Part iterated = Part.NONE;
        private Part inverted = Part.NONE;
        private Part fetched = Part.NONE;

        Tally(Schedule schedule, Cost cost) {
            problem = schedule.problem();
            this.cost = cost;
            kept = problem.crossing();
        }

        @Override
        public void runs(int step, Step.Work work, Run how) {
            var node = work.node();
            double seconds = cost.of(node);
            works += seconds;
            switch (how) {
                case FIRST -> {
                    if (node.kernel() instanceof Control.ReverseScan scan) iterated(scan);
                }
                case AGAIN -> recomputed = back(recomputed, node.outputs(), seconds);
                case INVERTED -> inverted = back(inverted, node.outputs(), seconds);
            }
            LoopStates.of(node).ifPresent(loop -> moved(node, loop, seconds));
        }

        @Override
        public void fetches(int step, Value v, Place place) {
            fetched = back(fetched, List.of(v), 0);
        }

        private Part back(Part part, List<Value> values, double seconds) {
            long bytes = 0;
            for (Value v : values) {
                bytes += problem.bytes(v);
                kept.remove(v);
            }
            return part.and(values.size(), bytes, seconds);
        }

        private void iterated(Control.ReverseScan scan) {
            int iterations = scan.forward().times();
            var splits = CheckpointSplits.of(scan.forward().costs(), scan.area(), iterations);
            // the first run of the iterations is that of the loop itself, unless it saved nothing
            long again = splits.forwards(iterations) - iterations;
            if (scan.start() == Control.ReverseStart.EMPTY) again += iterations;
            iterated = iterated.and(again, again * scan.area().state(), 0);
        }

        private void moved(Node node, LoopStates loop, double seconds) {
            if (cost instanceof LoopTransferCost haulage) moving += seconds - haulage.kernels(node);
            if (loop.forward()) return;
            long reads = loop.all().reads();
            fetched = fetched.and(reads, reads * loop.area().state(), 0);
        }

        /** The remaining time is that of the iterations which loops run again or invert. */
        RestoreSummary mix(double total, double once, long undone) {
            double waiting = Math.max(0, total - works) + moving;
            double rest = Math.max(0, total - once - recomputed.cost - inverted.cost - waiting);
            long iterations = iterated.count + undone;
            double undoing = iterations == 0 ? 0 : rest * undone / iterations;
            return new RestoreSummary(
                    new Part(kept.size(), kept.stream().mapToLong(problem::bytes).sum(), 0),
                    recomputed,
                    iterated.and(0, 0, iterated.count == 0 ? 0 : rest - undoing),
                    inverted.and(undone, 0, undoing),
                    fetched.and(0, 0, waiting));
        }
    }
}
