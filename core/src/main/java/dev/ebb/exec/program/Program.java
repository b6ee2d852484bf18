package dev.ebb.exec.program;

import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.Category;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.exec.Session;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.exec.loop.RepeatedBits;
import dev.ebb.exec.transfer.BackingStore;
import dev.ebb.exec.transfer.BoundTransfers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.ValueHistory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

/**
 * A laid-out schedule bound to memory and a device. The arena is allocated here, and nothing after
 * that; a run executes the schedule step by step.
 */
public final class Program implements AutoCloseable {
    private static final long LINE = 64;

    private final Layout layout;
    private final long ownBytes;
    private final Session session;
    private final BoundTransfers carrier;
    private final Runnable lastTransfers;
    private final BoundSteps steps;
    private final Schedule.Footprint footprint;
    private final MemoryMeter meter;
    private final Stopwatch watch;
    private final long paramsEnd;

    /** All computations as recorded work, if the device records them. */
    private final Optional<Runnable> recorded;

    /** The memory of each parameter before a run, if any. */
    private final List<Optional<Memory>> paramPlaces;

    private final List<Optional<Memory>> resultPlaces;

    private final long[] promised = new long[Category.values().length];
    private boolean partial;
    private boolean closed;

    /** The compilation of all computations to one method. */
    private final SequenceCompilation sequenceCompilation;

    /** A program that uses all threads of the device. */
    public Program(Layout layout, Device device) {
        this(layout, device, device.threads().count());
    }

    /** A program with this number of workers, in an arena of its own. */
    public Program(Layout layout, Device device, int workers) {
        this(layout, Arena.of(List.of(layout), device, workers));
    }

    Program(Layout layout, Device device, BoundTransfers.Opener opener) {
        this(layout, Arena.of(List.of(layout), device, device.threads().count()), opener);
    }

    /** A program in an arena that others use in turn; closing any of them closes it. */
    public Program(Layout layout, Arena arena) {
        this(layout, arena, BackingStore::in);
    }

    private Program(Layout layout, Arena arena, BoundTransfers.Opener opener) {
        this.layout = layout;
        ownBytes = arena.ownBytes();
        footprint = layout.schedule().footprint();
        session = arena.session();
        carrier = new BoundTransfers(layout, session, opener);
        steps = new BoundSteps(layout, session, arena.memory(), new Table<>(), carrier);
        lastTransfers = carrier.end();
        meter = new MemoryMeter(layout, steps);
        watch = new Stopwatch(steps.bound(), session.queue());
        paramsEnd = steps.paramsEnd();
        var histories = ValueHistory.of(layout.schedule());
        paramPlaces = places(graph().params(), steps.initial()::find);
        resultPlaces =
                places(
                        graph().results(),
                        r ->
                                histories.getOrDefault(r, ValueHistory.NONE).resident()
                                        ? steps.resident().find(r)
                                        : Optional.empty());
        recorded =
                FixedWork.isFixed(layout.schedule(), carrier.areOrdered())
                        ? session.queue().recorded(this::allSteps)
                        : Optional.empty();
        sequenceCompilation =
                new SequenceCompilation(
                        steps, session.queue(), layout.schedule(), recorded.isEmpty());
        var tide = MemoryProfile.of(layout);
        for (var category : Category.values()) promised[category.ordinal()] = tide.peak(category);
    }

    private void allSteps() {
        steps.bound().forEach(s -> s.body().run());
        lastTransfers.run();
    }

    private Graph graph() {
        return layout.schedule().problem().graph();
    }

    /** The memory of parameter {@code i} before a run, if it is in memory then. */
    public Buffer param(int i) {
        return steps.initial().at(graph().params().get(i));
    }

    /** The memory of result {@code i} after a run, if it is in memory then. */
    public Buffer result(int i) {
        return steps.resident().at(graph().results().get(i));
    }

    private static List<Optional<Memory>> places(
            List<Value> values, Function<Value, Optional<Buffer>> where) {
        return values.stream()
                .map(v -> where.apply(v).map(b -> b.memory().slice(0, v.type().bytes())))
                .toList();
    }

    /** Sets parameter {@code i}, wherever it is kept. */
    public synchronized void write(int i, MemorySegment from) {
        requireOpen();
        var here = paramPlaces.get(i);
        if (here.isPresent()) session.queue().write(first(from, here.get().bytes()), here.get());
        else carrier.put(graph().params().get(i), from);
    }

    /** Copies parameter {@code i} as it is between two runs, wherever it is kept. */
    public synchronized void readParam(int i, MemorySegment to) {
        requireOpen();
        copy(paramPlaces.get(i), graph().params().get(i), to);
    }

    /** Copies result {@code i} of the last run, wherever it is kept. */
    public synchronized void readResult(int i, MemorySegment to) {
        requireOpen();
        copy(resultPlaces.get(i), graph().results().get(i), to);
    }

    private static MemorySegment first(MemorySegment all, long bytes) {
        return all.byteSize() == bytes ? all : all.asSlice(0, bytes);
    }

    private void copy(Optional<Memory> here, Value value, MemorySegment to) {
        if (here.isPresent()) session.queue().read(here.get(), first(to, here.get().bytes()));
        else carrier.get(value, to);
    }

    /**
     * The counted bytes that the latest run held in the arena while each computation or transfer
     * ran. The promised bytes are in {@link MemoryProfile}.
     */
    public long[] held() {
        return meter.held();
    }

    public long promisedBytes() {
        return layout.arenaBytes() + ownBytes;
    }

    /**
     * Whether the latest run ended with an error after its first step: parameters that the run
     * replaces may then have their old or their new values.
     */
    public boolean isPartial() {
        return partial;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "this program is closed and its memory is freed; compile another one");
        }
    }

    /**
     * Runs every step once: as recorded work if the device records it, which gives no times of
     * single kernels.
     */
    public synchronized Report run() {
        var method = compiled();
        if (method.isPresent()) return runCompiled(method.get()::run);
        if (sequenceCompilation.isDue()) {
            // once more step by step, which counts memory
            var report = runTimed();
            sequenceCompilation.make(() -> report);
            return report;
        }
        return recorded.isPresent() ? repeat(recorded.get(), digestCheck()) : runTimed();
    }

    private Optional<SequenceRun> compiled() {
        // counts the memory of a run with fixed work, without running it
        return sequenceCompilation.compiled(() -> repeat(() -> {}, digestCheck()));
    }

    private DigestCheck digestCheck() {
        return new DigestCheck(layout.schedule(), session.queue());
    }

    /** Whether the program is compiled to one method by now. */
    public synchronized boolean isCompiled() {
        return compiled().isPresent();
    }

    private Report runCompiled(Supplier<Report> run) {
        requireOpen();
        partial = true;
        var report = run.get();
        partial = false;
        return report;
    }

    /** Whether {@link #run(List)} writes results to the given segments without a copy. */
    public synchronized boolean isDelivering() {
        requireOpen();
        return compiled().filter(s -> !s.method().delivered().isEmpty()).isPresent();
    }

    /** As {@link #run()}, with each result written to a segment of its size. */
    public synchronized Report run(List<MemorySegment> to) {
        var method = compiled();
        var report = method.isPresent() ? runCompiled(() -> method.get().run(to)) : run();
        for (int i = 0; i < to.size(); i++) {
            int result = i;
            if (method.filter(m -> m.method().delivered().contains(result)).isEmpty())
                readResult(i, to.get(i));
        }
        return report;
    }

    /**
     * This program as one method from an array of arguments, the first {@code arguments}
     * parameters, to an array of results, if the device compiles one.
     */
    public synchronized Optional<ArrayFunction> arrayFunction(int arguments) {
        requireOpen();
        return steps.sequence().flatMap(all -> session.queue().arrayFunction(all, arguments));
    }

    /** Runs every step once, one by one, so that every kernel's time is known. */
    public synchronized Report runTimed() {
        return run(digestCheck(), _ -> {}, (_, _) -> {});
    }

    /**
     * Runs every step once and checks each value that is computed again or rebuilt against its
     * first computation, bit by bit, and every op that runs again on the same bits inside a loop or
     * branch. The first difference ends the run, except those of approximate inverses, which are
     * reported.
     */
    public synchronized Report verify() {
        var check = digestCheck();
        return ScopedValue.where(RepeatedBits.WATCHED, new RepeatedBits(session.queue()))
                .call(() -> run(check, watch::go, check::computed));
    }

    private Report repeat(Runnable whole, DigestCheck check) {
        requireOpen();
        carrier.begin();
        long highest = paramsEnd;
        watch.begin();
        partial = true;
        try {
            whole.run();
            watch.stopAll();
            highest = Math.max(highest, meter.walk(steps.bound()));
            session.queue().finish();
        } catch (Throwable e) {
            recover(e);
            throw e;
        }
        partial = false;
        watch.read();
        return report(highest, check);
    }

    private Report run(
            DigestCheck check, IntConsumer before, ObjIntConsumer<BoundSteps.Bound> after) {
        requireOpen();
        carrier.begin();
        long highest = paramsEnd;
        var all = steps.bound();
        meter.begin();
        watch.begin();
        partial = true;
        try {
            for (int i = 0; i < all.size(); i++) {
                var step = all.get(i);
                meter.step();
                before.accept(i);
                step.body().run();
                highest = Math.max(highest, step.highest());
                watch.stop(i);
                after.accept(step, i);
            }
            lastTransfers.run();
            session.queue().finish();
        } catch (Throwable e) {
            recover(e);
            throw e;
        }
        partial = false;
        watch.read();
        return report(highest, check);
    }

    /**
     * After {@code fault}: waits until no transfer is under way, and restores the parameters that
     * no run changes.
     */
    private void recover(Throwable fault) {
        carrier.settle();
        session.drain(fault);
        var bindings = layout.schedule().problem().bindings();
        try {
            for (int i = 0; i < bindings.size(); i++) {
                var param = graph().params().get(i);
                if (bindings.get(i) instanceof Binding.Kept)
                    steps.initial()
                            .find(param)
                            .ifPresent(here -> carrier.recover(param, here.memory()));
            }
        } catch (RuntimeException e) {
            // the memory is lost, and with it this program
            close();
            fault.addSuppressed(e);
        }
    }

    private Report report(long highest, DigestCheck check) {
        long whole = Math.ceilDiv(highest, LINE) * LINE;
        return new Report(
                promisedBytes(),
                whole + ownBytes,
                watch.seconds(),
                footprint.computed(),
                footprint.recomputed(),
                watch.repeats(),
                watch.byTime(),
                meter.peaks(promised, ownBytes),
                beside(),
                check.drifts());
    }

    private List<Report.Beside> beside() {
        var highest = carrier.highest();
        var all = new ArrayList<Report.Beside>();
        for (int k = 0; k < highest.length; k++) {
            var there = layout.places().get(k);
            long measured = Math.ceilDiv(highest[k], LINE) * LINE;
            all.add(new Report.Beside(there.place(), there.bytes(), measured));
        }
        return all;
    }

    /** Waits for a run that is under way in another thread. */
    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        carrier.close();
        session.queue().close();
    }
}
