package dev.ebb.exec.loop;

import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Sequence;
import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.BoundTransfers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.ScheduleListener;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The computations and transfers of a laid-out schedule, each bound to its place in memory. */
public final class BoundSteps {

    /**
     * One step of a schedule that is ready to run: a computation or a transfer.
     *
     * @param work the computation; none for a transfer
     * @param again whether this step would not exist if everything were kept
     * @param name the name of the step in reports
     * @param inputs the buffers that it reads
     * @param written the values it writes, without workspace and checkpoint areas, whose content
     *     may differ from run to run
     * @param outputs the memory of these values
     * @param memory the memory that it writes: for a computation, one item for each output of its
     *     node
     * @param values the values in that memory
     * @param left the values that were freed before it or that it overwrites
     * @param highest the end of that memory
     */
    public record Bound(
            Optional<Step.Work> work,
            boolean again,
            String name,
            Runnable body,
            List<Buffer> inputs,
            List<Value> written,
            List<Buffer> outputs,
            List<Buffer> memory,
            List<Value> values,
            List<Value> left,
            long highest) {

        /** The node that is computed. */
        Node node() {
            return work.orElseThrow().node();
        }
    }

    private final List<Buffer> params = new ArrayList<>();
    private final List<Buffer> results = new ArrayList<>();
    private final Table<Value, Buffer> initial = new Table<>();
    private final Table<Value, Buffer> resident = new Table<>();
    private final List<Bound> bound = new ArrayList<>();
    private final List<Value> left = new ArrayList<>();
    private final Memory memory;
    private final Session session;
    private final BoundTransfers carrier;
    private final Graph graph;

    /** How many times {@link #run} has run all steps one by one. */
    private int runs;

    private Optional<CompiledSequence> compiled = Optional.empty();

    /**
     * Binds {@code layout} to {@code memory}; the parameters in {@code elsewhere} lie outside it.
     */
    public BoundSteps(
            Layout layout,
            Session session,
            Memory memory,
            Table<Value, Buffer> elsewhere,
            BoundTransfers carrier) {
        this.memory = memory;
        this.session = session;
        this.carrier = carrier;
        graph = layout.schedule().problem().graph();
        layout.schedule().tell(new Binder(starts(layout), elsewhere));
        for (Value r : graph.results()) resident.find(r).ifPresent(results::add);
    }

    /** Binds the events of a schedule one by one. */
    private final class Binder implements ScheduleListener {
        private final Table<Layout.Stay, Long> starts;
        private final Table<Value, Buffer> elsewhere;

        Binder(Table<Layout.Stay, Long> starts, Table<Value, Buffer> elsewhere) {
            this.starts = starts;
            this.elsewhere = elsewhere;
        }

        @Override
        public void starts(Value p) {
            var buffer =
                    elsewhere.find(p).orElseGet(() -> slice(p, starts.at(new Layout.Stay(p, -1))));
            resident.put(p, buffer);
            initial.put(p, buffer);
            params.add(buffer);
        }

        @Override
        public void runs(int step, Step.Work work, Run how) {
            var node = work.node();
            var in = node.inputs().stream().map(resident::at).toList();
            var out = new ArrayList<Buffer>();
            for (Value v : node.outputs()) {
                var over = work.reuses().stream().filter(r -> r.into().equals(v)).findAny();
                out.add(
                        over.isPresent()
                                ? over(resident.at(over.get().from()), v)
                                : slice(v, starts.at(new Layout.Stay(v, step))));
            }
            for (int j = 0; j < out.size(); j++) resident.put(node.outputs().get(j), out.get(j));
            for (var reuse : work.reuses()) left.add(reuse.from());
            bound.add(bind(work, how != Run.FIRST, in, out));
        }

        @Override
        public void offloads(int step, Value v, Place place) {
            var body = carrier.offload(v, place, resident.at(v));
            transfer("offload", body, List.of(), List.of());
        }

        @Override
        public void fetches(int step, Value v, Place place) {
            var to = slice(v, starts.at(new Layout.Stay(v, step)));
            resident.put(v, to);
            transfer("fetch", carrier.fetch(v, place, to), List.of(to), List.of(v));
        }

        private void transfer(
                String name, Runnable body, List<Buffer> written, List<Value> values) {
            bound.add(
                    new Bound(
                            Optional.empty(),
                            true,
                            name,
                            body,
                            List.of(),
                            List.of(),
                            List.of(),
                            written,
                            values,
                            left(),
                            end(written)));
        }

        @Override
        public void frees(int step, Value v) {
            carrier.freed(v);
            left.add(v);
        }
    }

    /** The values freed since the previous step. */
    private List<Value> left() {
        var all = List.copyOf(left);
        left.clear();
        return all;
    }

    private Bound bind(Step.Work work, boolean again, List<Buffer> in, List<Buffer> out) {
        var node = work.node();
        boolean scratch = node.workspace();
        var workspace = scratch ? out.getLast() : new Buffer(DType.U8, 0, memory.slice(0, 0));
        var written = scratch ? out.subList(0, out.size() - 1) : out;
        var body =
                node.kernel() instanceof Control control
                        ? ControlKernels.bind(
                                control,
                                session,
                                in,
                                written,
                                workspace,
                                carrier.states(node, session))
                        : session.queue().bind(node, in, written, workspace);
        int values =
                node.kernel() instanceof Control control
                        ? ControlKernels.values(control, written.size())
                        : written.size();
        return new Bound(
                Optional.of(work),
                again,
                node.op().name(),
                carrier.after(work, body),
                in,
                node.outputs().subList(0, values),
                written.subList(0, values),
                out,
                node.outputs(),
                left(),
                end(out));
    }

    private long end(List<Buffer> buffers) {
        long highest = 0;
        for (var b : buffers)
            highest = Math.max(highest, b.memory().address() - memory.address() + b.bytes());
        return highest;
    }

    /** The end of the memory of the parameters that exist before a run. */
    public long paramsEnd() {
        return end(params);
    }

    /** The offset of every buffer, for each time it is in memory. */
    private static Table<Layout.Stay, Long> starts(Layout layout) {
        var starts = new Table<Layout.Stay, Long>();
        for (var slot : layout.slots()) {
            for (var stay : slot.stays()) starts.put(stay, slot.offset());
        }
        return starts;
    }

    /** {@code v} in the memory of another value, which may be outside the arena. */
    private static Buffer over(Buffer other, Value v) {
        return new Buffer(v.type().dtype(), v.type().size(), other.memory());
    }

    private Buffer slice(Value v, long offset) {
        return new Buffer(
                v.type().dtype(), v.type().size(), memory.slice(offset, v.type().bytes()));
    }

    /** The parameters, as far as they are in memory before a run. */
    List<Buffer> params() {
        return params;
    }

    /** The results, as far as they have been in memory. */
    List<Buffer> results() {
        return results;
    }

    /** The values in memory before a run. */
    public Table<Value, Buffer> initial() {
        return initial;
    }

    /** The location of values when a run has ended. */
    public Table<Value, Buffer> resident() {
        return resident;
    }

    public List<Bound> bound() {
        return bound;
    }

    /**
     * All steps as a sequence that a device can compile into one method; none where values are
     * offloaded.
     */
    public Optional<Sequence> sequence() {
        var works = new ArrayList<Sequence.Work>();
        for (Bound step : bound) {
            if (step.work().isEmpty()) return Optional.empty();
            int written = step.node().results().size();
            works.add(
                    new Sequence.Work(
                            step.node(),
                            step.inputs(),
                            step.memory().subList(0, written),
                            step.body()));
        }
        if (graph.params().stream().anyMatch(p -> !initial.has(p))) return Optional.empty();
        if (graph.results().stream().anyMatch(r -> !resident.has(r))) return Optional.empty();
        return Optional.of(
                new Sequence(
                        works,
                        graph.params().stream()
                                .map(p -> new Sequence.Place(p, initial.at(p)))
                                .toList(),
                        graph.results().stream()
                                .map(r -> new Sequence.Place(r, resident.at(r)))
                                .toList()));
    }

    /** Runs all steps, as the body of a loop or branch. */
    void run() {
        if (RepeatedBits.WATCHED.isBound()) {
            bound.forEach(RepeatedBits.WATCHED.get()::run);
        } else if (compiled.isPresent()) {
            compiled.get().run();
        } else {
            if (runs++ == session.queue().compiledAfter())
                compiled = sequence().flatMap(session.queue()::compiled);
            for (Bound step : bound) step.body.run();
        }
    }
}
