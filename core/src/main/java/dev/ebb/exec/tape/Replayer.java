package dev.ebb.exec.tape;

import dev.ebb.exec.Category;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.exec.Session;
import dev.ebb.exec.loop.ControlKernels;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.WorkerMemory;
import dev.ebb.plan.schedule.Cost;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs the nodes of a tape one by one in an arena of bounded size, and runs nodes again when an
 * evicted value is read; {@link TapeReplay} decides the order.
 *
 * <p>A node that does not fit is refused when data are read next, not when it is recorded: until
 * then all further nodes are only recorded, so that the smallest budget in the error covers them
 * too. After a refusal only values computed before it can be read.
 *
 * <p>Not thread-safe.
 */
public final class Replayer implements AutoCloseable {
    private final Device device;
    private final Session session;
    private final Cost cost;
    private final long budget;

    /** The memory that the device may use outside the arena, and that which it uses. */
    private final WorkerMemory workers;

    private long owned;
    private final TapeReplay replay;
    private final List<TapeEvent> events = new ArrayList<>();
    private final BitSet failing = new BitSet();
    private final Map<Integer, Long> iterations = new HashMap<>();

    /** Why the budget did not suffice for an event; those after it have not been run. */
    private Optional<String> refusal = Optional.empty();

    private boolean told;
    private final long start = System.nanoTime();
    private double repeatSeconds;
    private final Map<Kind, OpForm> forms = new HashMap<>();

    /** The node that was asked about last, and its form. */
    private @Nullable Node latest;

    private @Nullable OpForm latestForm;
    private final ArenaMemory.OnDevice arena;

    /** The addresses of the operands and results of the node that is about to run. */
    private long[] places = {};

    /** An op and the types it is applied to. */
    private record Kind(Op op, List<Type> types) {}

    /** Forms that were asked for lately, by classes of ops: most are asked for again. */
    private static final int RECENT = 32;

    private final @Nullable Recent[] recent = new Recent[RECENT];

    /** A node and its form, which nodes of the same op on the same types have too. */
    private record Recent(Node node, OpForm form) {
        boolean isOf(Node other) {
            if (!node.op().equals(other.op())) return false;
            var known = node.inputs();
            var given = other.inputs();
            if (known.size() != given.size()) return false;
            for (int i = 0; i < known.size(); i++)
                if (!known.get(i).type().equals(given.get(i).type())) return false;
            return true;
        }
    }

    public Replayer(long budget, Device device, Cost cost) {
        this.device = device;
        this.cost = cost;
        this.budget = budget;
        workers = new WorkerMemory(device.threads(), device::mostOwnBytes);
        session = Session.on(device);
        arena = new ArenaMemory.OnDevice(session, TapeReplay.arena(budget, workers), this::beside);
        replay = new TapeReplay(budget, workers, arena, new OnDevice());
    }

    /** Adds a value from outside, which is never evicted. */
    public void take(Value v, Buffer data) {
        apply(new TapeEvent.Take(v));
        if (refusal.isPresent()) return;
        var from = data.segment().asSlice(0, data.bytes());
        session.queue().write(from, replay.residents().buffer(v).memory());
    }

    /** The kernel of {@code node}, equal to that of its op. */
    public Kernel kernel(Node node) {
        return form(node).kernel();
    }

    /**
     * Runs new nodes in order. Those of {@code later} run only when one of their outputs is needed.
     */
    public void run(List<Node> nodes, Set<Node> later) {
        if (nodes.isEmpty()) return;
        apply(
                new TapeEvent.Run(
                        nodes.size() == 1
                                ? List.of(step(nodes.getFirst(), later))
                                : nodes.stream().map(n -> step(n, later)).toList()));
    }

    private TapeEvent.Step step(Node node, Set<Node> later) {
        return new TapeEvent.Step(node, form(node), !later.isEmpty() && later.contains(node));
    }

    @SuppressWarnings("ReferenceEquality") // the node of the previous call
    private OpForm form(Node node) {
        if (latest == node && latestForm != null) return latestForm;
        int slot = node.op().getClass().hashCode() & (RECENT - 1);
        var near = recent[slot];
        if (near != null && near.isOf(node)) {
            latest = node;
            latestForm = near.form;
            return near.form;
        }
        var kind = new Kind(node.op(), node.inputTypes());
        var known = forms.get(kind);
        if (known == null) {
            known =
                    new OpForm(
                            forms.size(),
                            node.op().name(),
                            node.kernel(),
                            cost.of(node),
                            leastWorkspace(node),
                            Trait.once(node.op().traits()));
            forms.put(kind, known);
        }
        recent[slot] = new Recent(node, known);
        latest = node;
        latestForm = known;
        return known;
    }

    private long leastWorkspace(Node node) {
        if (node.kernel() instanceof Control.ReverseScan k)
            return ControlKernels.workspaceBytes(k.in(TapeReplay.least(k.area())), device);
        return node.kernel() instanceof Control k
                ? ControlKernels.workspaceBytes(k, device)
                : device.workspaceBytes(node);
    }

    /**
     * Copies the data of {@code v}, which is restored first if it was evicted.
     *
     * @throws OverBudgetException if the budget does not suffice for that, or did not suffice for a
     *     node that was recorded before {@code v}
     */
    public void read(Value v, MemorySegment to) {
        if (refusal.isEmpty() || !replay.had(v)) {
            apply(new TapeEvent.Bring(v));
            if (refusal.isPresent()) throw overBudget();
        } else {
            bringAfterRefusal(v);
        }
        session.queue().read(replay.residents().buffer(v).memory(), to);
    }

    private void bringAfterRefusal(Value v) {
        var event = new TapeEvent.Bring(v);
        events.add(event);
        try {
            replay.apply(event);
        } catch (TapeReplay.TooSmallException _) {
            throw overBudget();
        }
    }

    /** {@code v} stays in memory from now on. */
    public void keep(Value v) {
        apply(new TapeEvent.Keep(v));
    }

    /** Whether {@code v} is a cotangent that a backward pass still needs. */
    public void hold(Value v, boolean on) {
        apply(new TapeEvent.Hold(v, on));
    }

    /** A backward pass has reached the node that computed {@code v}. */
    public void backwardAt(Value v) {
        apply(new TapeEvent.BackwardStep(v));
    }

    public void backwardEnds() {
        apply(new TapeEvent.BackwardEnd());
    }

    private void apply(TapeEvent event) {
        events.add(event);
        if (refusal.isPresent() && !(event instanceof TapeEvent.BackwardEnd)) return;
        try {
            replay.apply(event);
        } catch (TapeReplay.TooSmallException e) {
            refusal = Optional.of(e.reason());
        }
    }

    private OverBudgetException overBudget() {
        told = true;
        long least = new LeastBudget(events, device, workers, failing, iterations).above(budget);
        return new OverBudgetException(
                ("%s; the ops recorded so far need %s, and later ops may need more: give the tape a"
                                + " budget of %s bytes or more")
                        .formatted(refusal.orElseThrow(), Budget.show(least), least),
                least);
    }

    private final class OnDevice implements TapeReplay.Kernels {
        @Override
        public void run(
                int i,
                Node node,
                OpForm form,
                Kernel kernel,
                boolean again,
                long at,
                long scratch) {
            int share = form.share();
            long begun = share == 0 ? 0 : System.nanoTime();
            try {
                if (form.relocatable().isEmpty()) {
                    reserve(node, form);
                    form.relocatable(session.queue().relocatable(node));
                }
                if (!computeAnywhere(node, form)) {
                    var workspace = replay.residents().at(at, scratch);
                    compute(node, kernel, new Buffer(DType.U8, scratch, workspace));
                }
            } catch (TapeReplay.TooSmallException e) {
                throw e;
            } catch (RuntimeException e) {
                failing.set(i);
                throw e;
            }
            if (!failing.isEmpty()) failing.clear(i);
            long took = share == 0 ? 0 : share * (System.nanoTime() - begun);
            form.ran(took);
            if (again) repeatSeconds += took / 1e9;
        }

        @Override
        public long iterations(int i, Node node, Control.Scan loop) {
            var count = replay.residents().buffer(node.inputs().getFirst());
            return iterations.computeIfAbsent(i, _ -> session.readLong(count, 0));
        }
    }

    /** Runs {@code node} by the compiled method of its form, if there is one by now. */
    private boolean computeAnywhere(Node node, OpForm form) {
        if (form.relocatable().isEmpty()) return false;
        var residents = replay.residents();
        var in = node.inputs();
        var out = node.outputs();
        int all = in.size() + out.size();
        var starts = places.length == all ? places : new long[all];
        places = starts;
        int at = 0;
        for (int k = 0; k < in.size(); k++) starts[at++] = residents.offset(in.get(k));
        for (int k = 0; k < out.size(); k++) starts[at++] = residents.offset(out.get(k));
        form.relocatable().get().run(residents.memory().segment(), starts);
        return true;
    }

    /** Reserves memory of the device for a node, with as many workers as the budget allows. */
    private void reserve(Node node, OpForm form) {
        if (form.isReserved()) return;
        var nodes = List.of(node);
        var bytes = session.queue().ownBytes(nodes);
        long reserved = workers.reserveForAny(budget);
        int fit = new WorkerMemory(device.threads(), bytes).within(reserved);
        if (fit == 0) {
            throw new TapeReplay.TooSmallException(
                    form.name()
                            + " needs "
                            + Budget.show(bytes.applyAsLong(1))
                            + " of the device's own memory to run on one worker; a tape with a"
                            + " budget of "
                            + Budget.show(budget)
                            + " reserves "
                            + Budget.show(reserved)
                            + " for that, at most half of its budget");
        }
        owned = Math.max(owned, bytes.applyAsLong(fit));
        arena.leave(beside());
        session.queue().reserve(nodes, fit);
        form.reserved();
    }

    /** The bytes of the budget outside the arena that the device does not use. */
    private long beside() {
        return budget > Long.MAX_VALUE / 4 ? Long.MAX_VALUE : workers.reserveForAny(budget) - owned;
    }

    private void compute(Node node, Kernel kernel, Buffer workspace) {
        var residents = replay.residents();
        var in = node.inputs().stream().map(residents::buffer).toList();
        var out = node.outputs().stream().map(residents::buffer).toList();
        try {
            (kernel instanceof Control control
                            ? ControlKernels.bind(control, session, in, out, workspace)
                            : session.queue().bind(node, in, out, workspace))
                    .run();
            session.queue().finish();
        } catch (RuntimeException e) {
            session.drain(e);
            throw e;
        }
    }

    /** The promised and the used memory so far. */
    public Report report() {
        var times = new TreeMap<String, Report.KernelTime>();
        for (var form : forms.values()) {
            if (form.calls() == 0) continue;
            times.merge(
                    form.name(),
                    new Report.KernelTime(form.name(), form.calls(), form.seconds()),
                    (a, b) ->
                            new Report.KernelTime(
                                    a.op(), a.calls() + b.calls(), a.seconds() + b.seconds()));
        }
        double inKernels = times.values().stream().mapToDouble(Report.KernelTime::seconds).sum();
        return new Report(
                budget,
                replay.residents().peak() + owned,
                (System.nanoTime() - start) / 1e9,
                replay.computed(),
                replay.recomputed(),
                inKernels == 0 ? 0 : repeatSeconds / inKernels,
                times.values().stream()
                        .sorted(Comparator.comparingDouble(Report.KernelTime::seconds).reversed())
                        .toList(),
                peaks(),
                List.of(),
                List.of());
    }

    private List<Report.Peak> peaks() {
        var peaks = new ArrayList<Report.Peak>();
        for (var category : Category.values()) {
            long bytes =
                    replay.residents().peak(category)
                            + (category == Category.WORKSPACE ? owned : 0);
            if (bytes > 0) peaks.add(new Report.Peak(category, budget, bytes));
        }
        return peaks;
    }

    /** Frees all memory; throws a refusal that has not been thrown to a caller yet. */
    @Override
    public void close() {
        session.queue().close();
        if (refusal.isPresent() && !told) throw overBudget();
    }
}
