package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Room;
import dev.ebb.ir.Value;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Cost;
import dev.ebb.plan.OverBudgetException;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs nodes one by one, as they come, in an arena of a bounded size, and runs them again when a
 * value is asked for that had to go. What it has run is the program it recomputes from. A value is
 * brought back by the nodes it needs, in the order in which they first ran; if one of them misses
 * an operand in turn, that is brought back first. All of this waits on a list, never on the stack
 * of the thread, so a chain of any length may be gone.
 *
 * <p>Not for several threads at once.
 */
public final class Replayer implements AutoCloseable {
    /** To have one value, nothing is worth more repeats than this many times the whole record. */
    private static final int PATIENCE = 16;

    private final Device device;
    private final Session session;
    private final Cost cost;
    private final long budget;
    private final Ledger ledger = new Ledger();
    private final Residents residents;
    private final Eviction eviction;
    private final List<Long> workspaces = new ArrayList<>();
    private final Deque<Work> open = new ArrayDeque<>();
    private final long start = System.nanoTime();
    private final BitSet ran = new BitSet();
    private int computed;
    private int recomputed;
    private double repeatSeconds;
    private final Map<String, Report.KernelTime> times = new TreeMap<>();
    private int patience;

    /** Nodes to run, in order; {@code locked} are the operands found so far of the next one. */
    private static final class Work {
        final int[] nodes;
        final List<Value> locked = new ArrayList<>();
        int next;

        Work(int[] nodes) {
            this.nodes = nodes;
        }
    }

    public Replayer(long budget, Device device, Cost cost) {
        this.device = device;
        this.cost = cost;
        this.budget = budget;
        long arena = budget - device.fixedBytes();
        if (arena <= 0) {
            throw new OverBudgetException(
                    "the device alone takes "
                            + Budget.show(device.fixedBytes())
                            + ", the budget is "
                            + Budget.show(budget),
                    device.fixedBytes() + 1);
        }
        session = Session.on(device);
        residents = new Residents(arena, session);
        eviction = new Eviction(ledger, residents);
    }

    /** Takes in a value from outside, which stays. */
    public void take(Value v, Buffer data) {
        eviction.know(v);
        makeRoom(Residents.bytes(v), ledger.size(), "a tensor from outside");
        residents.place(v, Category.PARAMETERS);
        eviction.pin(v);
        var from = data.segment().asSlice(0, data.bytes());
        session.queue().write(from, residents.buffer(v).memory());
    }

    /** Runs new nodes, in order, except those that are for {@code later}, if they are asked for. */
    public void run(List<Node> nodes, Set<Node> later) {
        if (nodes.isEmpty()) return;
        int first = ledger.size();
        var order = new int[nodes.size() - later.size()];
        int count = 0;
        for (int i = 0; i < nodes.size(); i++) {
            var node = nodes.get(i);
            node.outputs().forEach(eviction::know);
            ledger.add(node, cost.of(node));
            workspaces.add(leastWorkspace(node));
            if (!later.contains(node)) order[count++] = first + i;
        }
        perform(order);
    }

    private long leastWorkspace(Node node) {
        if (node.kernel() instanceof Control.Sweep k)
            return Controls.workspaceBytes(k.in(least(k.room())), device);
        return node.kernel() instanceof Control k
                ? Controls.workspaceBytes(k, device)
                : device.workspaceBytes(node);
    }

    private static Room least(Room room) {
        return new Room(room.tape(), room.state(), room.tape(), room.tapes());
    }

    /**
     * The room of a reverse loop that needs {@code needed} bytes with the least: that, what is free
     * beside it, and half of what could be let go; no more than tapes of all its rounds take.
     */
    private Room room(Control.Sweep k, Node node, long needed) {
        var room = k.room();
        long rounds =
                k.forward().counted()
                        ? session.readLong(residents.buffer(node.inputs().getFirst()), 0)
                        : k.forward().times();
        long all = Math.max(1, rounds) * room.tape();
        long spare = residents.left() + eviction.losable() / 2 - needed;
        long bytes = Math.clamp(spare + room.tape(), room.tape(), all) / 64 * 64;
        return new Room(bytes, room.state(), room.tape(), room.tapes());
    }

    /** Copies the data of {@code v}, which is brought back for it if it is gone. */
    public void read(Value v, MemorySegment to) {
        bring(v);
        session.queue().read(residents.buffer(v).memory(), to);
    }

    private void bring(Value v) {
        if (!residents.has(v)) perform(ledger.missing(v, residents::has));
        eviction.touch(v);
    }

    /** {@code v} stays in memory from now on. */
    public void keep(Value v) {
        bring(v);
        eviction.pin(v);
    }

    /** {@code v} is something a sweep carries along, or is no more. */
    public void hold(Value v, boolean on) {
        eviction.hold(v, on ? 1 : -1);
    }

    /** A sweep backwards has come to the node that made {@code v}. */
    public void sweep(Value v) {
        eviction.sweep(Math.max(0, ledger.maker(v)));
    }

    public void sweepIsOver() {
        eviction.sweepIsOver();
    }

    private void perform(int[] nodes) {
        push(nodes);
        patience = recomputed + PATIENCE * (ledger.size() + PATIENCE);
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

    private void push(int[] nodes) {
        for (int i : nodes) for (Value v : ledger.node(i).inputs()) eviction.await(v, 1);
        open.push(new Work(nodes));
    }

    /** Runs the next node, or sees to it that an operand it misses is there. */
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
            execute(i, node, again);
        }
        for (Value v : work.locked) eviction.unlock(v);
        work.locked.clear();
        for (Value v : node.inputs()) eviction.await(v, -1);
        work.next++;
    }

    private OverBudgetException thrashing() {
        long least = budget + budget / PATIENCE + 1;
        return new OverBudgetException(
                "with "
                        + Budget.show(budget)
                        + " this tape computes the same values over and over to have one of them;"
                        + " give it more, at the least "
                        + Budget.show(least),
                least);
    }

    private void execute(int i, Node node, boolean again) {
        long scratch = Math.ceilDiv(workspaces.get(i), 64) * 64;
        var fresh = node.outputs().stream().filter(v -> !residents.has(v)).toList();
        long results = fresh.stream().mapToLong(Residents::bytes).sum();
        var kernel = node.kernel();
        if (kernel instanceof Control.Sweep k) {
            var room = room(k, node, scratch + results);
            kernel = k.in(room);
            scratch += room.type().bytes() - least(room).type().bytes();
        }
        makeRoom(scratch + results, i, node.op().name());
        var category = node.reverse() ? Category.GRADIENTS : Category.ACTIVATIONS;
        for (Value v : fresh) residents.place(v, category);
        long at = residents.take(scratch);
        var workspace = new Buffer(DType.U8, scratch, residents.at(at, scratch));
        long begun = System.nanoTime();
        try {
            compute(node, kernel, workspace);
        } catch (RuntimeException | Error e) {
            fresh.forEach(residents::drop);
            throw e;
        } finally {
            residents.giveBack(at, scratch);
        }
        for (Value v : fresh) {
            if (again) eviction.returned(v);
            else if (Ledger.once(node)) eviction.pin(v);
        }
        node.inputs().forEach(eviction::touch);
        node.outputs().forEach(eviction::touch);
        long took = System.nanoTime() - begun;
        times.merge(
                node.op().name(),
                new Report.KernelTime(node.op().name(), 1, took / 1e9),
                (a, b) ->
                        new Report.KernelTime(
                                a.op(), a.calls() + b.calls(), a.seconds() + b.seconds()));
        if (again) recomputed++;
        else computed++;
        if (again) repeatSeconds += took / 1e9;
        ran.set(i);
    }

    private void compute(Node node, Kernel kernel, Buffer workspace) {
        var in = node.inputs().stream().map(residents::buffer).toList();
        var out = node.outputs().stream().map(residents::buffer).toList();
        (kernel instanceof Control control
                        ? Controls.bind(control, session, in, out, workspace)
                        : session.queue().bind(node, in, out, workspace))
                .run();
        session.queue().finish();
    }

    private void makeRoom(long bytes, int node, String who) {
        while (residents.missing(bytes) > 0) {
            var lost = eviction.next(node);
            if (lost.isEmpty()) {
                long least = residents.used() + bytes + device.fixedBytes();
                throw new OverBudgetException(
                        who
                                + " needs "
                                + Budget.show(least)
                                + " for its operands, its results and what must stay beside them;"
                                + " the budget of this tape is "
                                + Budget.show(budget),
                        least);
            }
            residents.drop(lost.get());
            eviction.evicted(lost.get());
        }
    }

    /** What was promised and what has been used so far. */
    public Report report() {
        double inKernels = times.values().stream().mapToDouble(Report.KernelTime::seconds).sum();
        return new Report(
                budget,
                residents.peak() + device.fixedBytes(),
                (System.nanoTime() - start) / 1e9,
                computed,
                recomputed,
                inKernels == 0 ? 0 : repeatSeconds / inKernels,
                times.values().stream()
                        .sorted(Comparator.comparingDouble(Report.KernelTime::seconds).reversed())
                        .toList(),
                peaks(),
                Report.OnDisk.NOTHING,
                List.of());
    }

    private List<Report.Peak> peaks() {
        var peaks = new ArrayList<Report.Peak>();
        for (var category : Category.values()) {
            long bytes =
                    residents.peak(category)
                            + (category == Category.WORKSPACE ? device.fixedBytes() : 0);
            if (bytes > 0) peaks.add(new Report.Peak(category, budget, bytes));
        }
        return peaks;
    }

    @Override
    public void close() {
        session.queue().close();
    }
}
