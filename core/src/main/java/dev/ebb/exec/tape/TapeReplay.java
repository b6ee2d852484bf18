package dev.ebb.exec.tape;

import dev.ebb.exec.Category;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.Budget;
import dev.ebb.plan.WorkerMemory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * Decides how a tape runs in an arena of bounded size: when each node runs, which values are
 * evicted to make room for it, and which nodes run again when an evicted value is needed. An
 * evicted value is restored by running the nodes that lead to it, in the order in which they first
 * ran. If an operand of such a node is evicted too, it is restored first. The nodes still to run
 * are kept in lists on the heap, not by recursion, so that a chain of evicted values can have any
 * length.
 *
 * <p>Every decision depends only on the events and the sizes. So the same events can be replayed
 * without computing anything and without memory, to find out what happens in another budget.
 */
final class TapeReplay {
    /**
     * To restore one value, at most about this many times as many nodes run again as the tape has;
     * beyond that the budget is reported as too small.
     */
    private static final int PATIENCE = 16;

    /** Runs the kernels of the nodes. */
    interface Kernels {

        /** Computes node number {@code i} with {@code scratch} bytes of workspace at {@code at}. */
        void run(
                int i, Node node, OpForm form, Kernel kernel, boolean again, long at, long scratch);

        /** The number of iterations that the loop reversed by node number {@code i} has run. */
        long iterations(int i, Node node, Control.Scan loop);
    }

    /** The budget is too small; {@link #reason} names the op and the memory that it needs. */
    static final class TooSmallException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String reason;

        TooSmallException(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /**
     * Nodes to run, in order. {@code locked} are those operands of the next node that are in the
     * arena and must not be evicted before it runs.
     */
    private static final class Work {
        final int[] nodes;
        final List<Value> locked = new ArrayList<>();
        int next;

        Work(int[] nodes) {
            this.nodes = nodes;
        }
    }

    private final long budget;
    private final WorkerMemory workers;
    private final Kernels kernels;
    private final ExecutionLog ledger = new ExecutionLog();
    private final ResidentValues residents;
    private final Eviction eviction;
    private final Deque<Work> open = new ArrayDeque<>();
    private final BitSet ran = new BitSet();
    private int computed;
    private int recomputed;

    TapeReplay(long budget, WorkerMemory workers, ArenaMemory memory, Kernels kernels) {
        this.budget = budget;
        this.workers = workers;
        this.kernels = kernels;
        residents = new ResidentValues(arena(budget, workers), memory);
        eviction = new Eviction(ledger, residents);
    }

    /** The bytes of a budget that remain for the arena. */
    static long arena(long budget, WorkerMemory workers) {
        return budget - workers.reserveForAny(budget);
    }

    ResidentValues residents() {
        return residents;
    }

    int computed() {
        return computed;
    }

    int recomputed() {
        return recomputed;
    }

    /** All nodes that have run. */
    List<Node> haveRun() {
        return ran.stream().mapToObj(ledger::node).toList();
    }

    /** Whether {@code v} is in the arena, or was computed before and can be computed again. */
    boolean had(Value v) {
        int maker = ledger.maker(v);
        return residents.has(v) || (maker >= 0 && ran.get(maker));
    }

    void apply(TapeEvent event) {
        switch (event) {
            case TapeEvent.Take(var v) -> take(v);
            case TapeEvent.Run(var steps) -> run(steps);
            case TapeEvent.Bring(var v) -> bring(v);
            case TapeEvent.Keep(var v) -> {
                bring(v);
                eviction.pin(v);
            }
            case TapeEvent.Hold(var v, var on) -> eviction.hold(v, on ? 1 : -1);
            case TapeEvent.BackwardStep(var v) -> eviction.backwardAt(Math.max(0, ledger.maker(v)));
            case TapeEvent.BackwardEnd() -> eviction.backwardEnds();
        }
    }

    private void take(Value v) {
        eviction.know(v);
        evictFor(ResidentValues.bytes(v), ledger.size(), "a tensor from outside");
        residents.place(v, Category.PARAMETERS);
        eviction.pin(v);
    }

    private void run(List<TapeEvent.Step> steps) {
        int first = ledger.size();
        var order = new int[steps.size()];
        int count = 0;
        for (int i = 0; i < order.length; i++) {
            var step = steps.get(i);
            var outputs = step.node().outputs();
            for (int k = 0; k < outputs.size(); k++) eviction.know(outputs.get(k));
            ledger.add(step.node(), step.form());
            if (!step.later()) order[count++] = first + i;
        }
        int done = 0;
        while (done < count && isReady(order[done])) {
            int i = order[done++];
            execute(i, ledger.node(i), ledger.form(i), false);
        }
        if (done < count) perform(Arrays.copyOfRange(order, done, count));
    }

    /** Whether a new node can run now without anything being evicted or restored for it. */
    private boolean isReady(int i) {
        var form = ledger.form(i);
        if (form.kernel() instanceof Control.ReverseScan) return false;
        var node = ledger.node(i);
        long bytes = lines(form.workspace());
        var in = node.inputs();
        for (int k = 0; k < in.size(); k++) if (!residents.has(in.get(k))) return false;
        bytes += bytes(node.outputs());
        return residents.missing(bytes) == 0;
    }

    private static long bytes(List<Value> values) {
        long bytes = 0;
        for (int k = 0; k < values.size(); k++) bytes += ResidentValues.bytes(values.get(k));
        return bytes;
    }

    private static long lines(long bytes) {
        return Math.ceilDiv(bytes, 64) * 64;
    }

    private void bring(Value v) {
        if (!residents.has(v)) perform(ledger.missing(v, residents::has));
        eviction.touch(v);
    }

    private void perform(int[] nodes) {
        push(nodes);
        int patience = recomputed + PATIENCE * (ledger.size() + PATIENCE);
        try {
            while (!open.isEmpty()) {
                var work = open.getFirst();
                if (work.next == work.nodes.length) open.removeFirst();
                else advance(work);
                if (recomputed > patience) throw thrashing();
            }
        } catch (RuntimeException | Error e) {
            open.clear();
            eviction.reset();
            throw e;
        }
    }

    private TooSmallException thrashing() {
        return new TooSmallException(
                "with "
                        + Budget.show(budget)
                        + " this tape would recompute values again and again to restore a single"
                        + " one");
    }

    private void push(int[] nodes) {
        for (int i : nodes) for (Value v : ledger.node(i).inputs()) eviction.await(v, 1);
        open.push(new Work(nodes));
    }

    /** Runs the next node; if an operand of it is evicted, first schedules its restoration. */
    private void advance(Work work) {
        int i = work.nodes[work.next];
        var node = ledger.node(i);
        boolean again = ran.get(i);
        if (!again || !node.outputs().stream().allMatch(residents::has)) {
            var longest = new int[0];
            for (Value v : node.inputs()) {
                if (residents.has(v)) {
                    if (!work.locked.contains(v)) {
                        eviction.lock(v);
                        work.locked.add(v);
                    }
                } else {
                    var way = ledger.missing(v, residents::has);
                    if (way.length > longest.length) longest = way;
                }
            }
            if (longest.length > 0) {
                push(longest);
                return;
            }
            // a node writes all its outputs: those in the arena must not be evicted while it runs
            var there = node.outputs().stream().filter(residents::has).toList();
            there.forEach(eviction::lock);
            try {
                execute(i, node, ledger.form(i), again);
            } finally {
                there.forEach(eviction::unlock);
            }
        }
        for (Value v : work.locked) eviction.unlock(v);
        work.locked.clear();
        for (Value v : node.inputs()) eviction.await(v, -1);
        work.next++;
    }

    private void execute(int i, Node node, OpForm form, boolean again) {
        long scratch = lines(form.workspace());
        var fresh = again ? missing(node.outputs()) : node.outputs();
        long results = bytes(fresh);
        var kernel = form.kernel();
        if (kernel instanceof Control.ReverseScan k) {
            var area = area(i, k, node, scratch + results);
            kernel = k.in(area);
            scratch += area.type().bytes() - least(area).type().bytes();
        }
        evictFor(scratch + results, i, form.name());
        var category = node.reverse() ? Category.GRADIENTS : Category.ACTIVATIONS;
        for (int k = 0; k < fresh.size(); k++) residents.place(fresh.get(k), category);
        long at = residents.take(scratch);
        try {
            kernels.run(i, node, form, kernel, again, at, scratch);
        } catch (RuntimeException | Error e) {
            fresh.forEach(residents::drop);
            throw e;
        } finally {
            residents.giveBack(at, scratch);
        }
        for (int k = 0; k < fresh.size(); k++) {
            if (again) eviction.returned(fresh.get(k));
            else if (form.once()) eviction.pin(fresh.get(k));
        }
        touch(node.inputs());
        touch(node.outputs());
        if (again) recomputed++;
        else computed++;
        ran.set(i);
    }

    private void touch(List<Value> values) {
        for (int k = 0; k < values.size(); k++) eviction.touch(values.get(k));
    }

    private List<Value> missing(List<Value> values) {
        return values.stream().filter(v -> !residents.has(v)).toList();
    }

    /** {@code area} with the memory of one loop tape only. */
    static CheckpointArea least(CheckpointArea area) {
        return new CheckpointArea(area.tape(), area.state(), area.tape(), area.tapes());
    }

    /**
     * The checkpoint area of a reverse scan that needs {@code needed} bytes with the smallest area:
     * the smallest area, the other free bytes, and half of the bytes that could be evicted; at most
     * the tapes of all iterations.
     */
    private CheckpointArea area(int i, Control.ReverseScan k, Node node, long needed) {
        var area = k.area();
        long iterations =
                k.forward().counted()
                        ? kernels.iterations(i, node, k.forward())
                        : k.forward().times();
        long all = Math.max(1, iterations) * area.tape();
        long spare = residents.left() + eviction.losable() / 2 - needed;
        long bytes = Math.clamp(spare + area.tape(), area.tape(), all) / 64 * 64;
        return new CheckpointArea(bytes, area.state(), area.tape(), area.tapes());
    }

    private void evictFor(long bytes, int node, String op) {
        while (residents.missing(bytes) > 0) {
            var lost = eviction.next(node).or(eviction::carried);
            if (lost.isEmpty()) {
                throw new TooSmallException(
                        op
                                + " needs "
                                + Budget.show(workers.budgetForAny(residents.used() + bytes))
                                + " for its operands, its results and the values that must stay in"
                                + " memory; the budget of this tape is "
                                + Budget.show(budget));
            }
            residents.drop(lost.get());
            eviction.evicted(lost.get());
        }
    }
}
