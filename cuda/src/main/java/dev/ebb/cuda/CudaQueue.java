package dev.ebb.cuda;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.OpErrors;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Host;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;

/**
 * A stream of a GPU as a queue. All work on a stream runs in order, so accesses to memory need no
 * other synchronisation. Besides its allocations it owns a small buffer in which kernels note the
 * first index out of bounds; the host checks it whenever it waits.
 *
 * <p>After an error from which the driver does not recover, every call throws.
 */
final class CudaQueue implements Queue {
    /** The bytes of GPU memory that a queue owns. */
    static final long OWN_BYTES = 256;

    /** The most launches and copies of a recorded run: the driver needs memory for each of them. */
    static final int MOST_RECORDED = 1 << 14;

    private final Gpu gpu;
    private final Streams streams;
    private final RecipeCache recipes;
    private final long stream;
    private final long fault;
    private final Staging staging;
    private final Clock clock;
    private final Map<Long, Long> allocated = new HashMap<>();
    private final List<Node> noted = new ArrayList<>();
    private final List<Long> executables = new ArrayList<>();
    private String latest = "nothing";
    private Optional<CudaException> lost = Optional.empty();

    /** What a kernel of this run has noted, once the host has read it; it ends with the run. */
    private Optional<RuntimeException> failure = Optional.empty();

    private boolean closed;

    /** The number of launches and copies recorded so far, while a run is being recorded. */
    private OptionalInt recorded = OptionalInt.empty();

    CudaQueue(Gpu gpu, RecipeCache recipes) {
        this.gpu = gpu;
        this.recipes = recipes;
        gpu.enter();
        streams = gpu.streams();
        stream = streams.stream();
        fault = streams.allocate(OWN_BYTES);
        streams.zero(fault, OWN_BYTES, stream);
        staging = new Staging(streams, stream);
        clock = new Clock(streams, stream);
    }

    private void enter() {
        if (closed) throw new IllegalStateException("this queue is closed");
        if (lost.isPresent())
            throw new CudaException("the card is lost to this program", lost.get());
        gpu.enter();
    }

    /** Calls the driver; if the enqueued work has failed, closes the queue. */
    private void awaiting(Runnable call) {
        try {
            call.run();
        } catch (CudaException e) {
            var named =
                    new CudaException(
                            ("%s; it came from work on the queue, of which the latest was %s; with"
                                 + " CUDA_LAUNCH_BLOCKING=1 the kernel at fault is named; this"
                                 + " program ends here: start again from its last checkpoint")
                                    .formatted(e.getMessage(), latest),
                            e);
            lost = Optional.of(named);
            throw named;
        }
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return _ -> OWN_BYTES;
    }

    @Override
    public synchronized void reserve(List<Node> nodes, int workers) {
        enter();
        gpu.compile(recipes.of(nodes));
    }

    @Override
    public synchronized Allocation allocate(long bytes) {
        enter();
        long address = take(Math.max(bytes, 64));
        streams.zero(address, Math.max(bytes, 64), stream);
        allocated.put(address, bytes);
        var memory = new CudaMemory(address, bytes);
        return new Allocation() {
            @Override
            public Memory memory() {
                return memory;
            }

            @Override
            public void close() {
                release(address);
            }
        };
    }

    private long take(long bytes) {
        try {
            return streams.allocate(bytes);
        } catch (CudaException e) {
            var memory = streams.memory();
            throw new CudaException(
                    ("%s bytes of the card's memory were asked for, and of its %s bytes %s are"
                         + " free; end other programs on the card, or name a smaller budget")
                            .formatted(bytes, memory[1], memory[0]),
                    e);
        }
    }

    @Override
    public HostPool hostPool(Host.Kind kind, long bytes) {
        return switch (kind) {
            case PAGEABLE -> HostPool.of(this, bytes);
            case PINNED -> new PinnedPool(streams, this::enter, stream, bytes);
        };
    }

    private synchronized void release(long address) {
        if (closed || allocated.remove(address) == null) return;
        if (lost.isPresent()) return;
        gpu.enter();
        awaiting(() -> streams.drain(stream));
        streams.free(address);
    }

    @Override
    public synchronized Runnable bind(
            Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        enter();
        var recipe = recipes.recipe(node);
        if (recipe.isEmpty()) return onHost(node, inputs, outputs);
        int number = noted.size();
        if (RecipeCache.canFault(recipe.get())) noted.add(node);
        var addresses =
                new OperandAddresses(
                        inputs.stream().map(b -> b.memory().address()).toList(),
                        outputs.stream().map(b -> b.memory().address()).toList(),
                        workspace.memory().address(),
                        fault,
                        number);
        var pieces = addresses.bind(recipe.get(), gpu, stream);
        var named = node.op().name() + " of " + node.inputTypes();
        return () -> put(pieces, named);
    }

    private synchronized void put(List<OperandAddresses.Piece> pieces, String node) {
        enter();
        count(pieces.size());
        for (var piece : pieces) {
            try {
                piece.body().run();
                latest = piece.name() + " of node " + node;
            } catch (CudaException e) {
                throw new CudaException(
                        piece.name() + " of node " + node + ": " + e.getMessage(), e);
            }
        }
    }

    /** Runs a {@code Library} kernel on the host, on copies of its operands. */
    private Runnable onHost(Node node, List<Buffer> inputs, List<Buffer> outputs) {
        if (!(node.kernel() instanceof Kernel.Library library)) {
            throw new IllegalStateException(node.op().name() + " is run by the program");
        }
        var from = inputs.stream().map(CudaQueue::shadow).toList();
        var to = outputs.stream().map(CudaQueue::shadow).toList();
        var work =
                new Buffer(
                        DType.U8,
                        library.workspaceBytes(),
                        Arena.ofAuto().allocate(Math.max(64, library.workspaceBytes()), 64));
        var body = OpErrors.of(node, () -> library.run(from, to, work));
        return () -> {
            for (int i = 0; i < from.size(); i++) {
                long bytes = from.get(i).bytes();
                read(inputs.get(i).memory().slice(0, bytes), from.get(i).segment());
            }
            body.run();
            for (int i = 0; i < to.size(); i++) write(to.get(i).segment(), outputs.get(i).memory());
        };
    }

    private static Buffer shadow(Buffer buffer) {
        var memory = Arena.ofAuto().allocate(Math.max(64, buffer.bytes()), 64);
        return new Buffer(buffer.dtype(), buffer.size(), memory.asSlice(0, buffer.bytes()));
    }

    private static void fits(long from, long to) {
        if (from > to) throw new IndexOutOfBoundsException(from + " bytes into " + to);
    }

    /**
     * If source and target overlap, copies pieces no longer than their distance, starting at the
     * end that is not overwritten first.
     */
    @Override
    public synchronized void copy(Memory from, Memory to) {
        enter();
        fits(from.bytes(), to.bytes());
        long source = from.address();
        long target = to.address();
        long size = from.bytes();
        long apart = Math.abs(target - source);
        if (size == 0 || apart == 0) return;
        latest = "a copy of " + size + " bytes";
        for (long done = 0; done < size; ) {
            long bytes = Math.min(size - done, apart);
            long at = target < source ? done : size - done - bytes;
            count(1);
            streams.copy(target + at, source + at, bytes, stream);
            done += bytes;
        }
    }

    @Override
    public synchronized void clear(Memory memory) {
        enter();
        count(1);
        if (memory.bytes() > 0) streams.zero(memory.address(), memory.bytes(), stream);
    }

    @Override
    public synchronized void write(MemorySegment from, Memory to) {
        enter();
        fits(from.byteSize(), to.bytes());
        if (to instanceof Memory.Host(var host)) host.asSlice(0, from.byteSize()).copyFrom(from);
        else awaiting(() -> staging.write(from, to.address()));
    }

    @Override
    public synchronized void read(Memory from, MemorySegment to) {
        enter();
        fits(from.bytes(), to.byteSize());
        if (from instanceof Memory.Host(var host)) {
            to.asSlice(0, host.byteSize()).copyFrom(host);
            return;
        }
        awaiting(() -> staging.read(from.address(), to.asSlice(0, from.bytes())));
        checkNotes();
    }

    @Override
    public synchronized void finish() {
        enter();
        awaiting(() -> streams.drain(stream));
        try {
            checkNotes();
        } finally {
            if (failure.isPresent()) streams.zero(fault, OWN_BYTES, stream);
            failure = Optional.empty();
        }
        clock.idle();
    }

    private void checkNotes() {
        if (failure.isPresent()) throw failure.get();
        if (noted.isEmpty()) return;
        try (var arena = Arena.ofConfined()) {
            var note = arena.allocate(ValueLayout.JAVA_LONG, 2);
            awaiting(() -> staging.read(fault, note));
            long number = note.get(ValueLayout.JAVA_LONG, 0);
            if (number == 0) return;
            var node = noted.get(Math.toIntExact(number - 1));
            long what = note.get(ValueLayout.JAVA_LONG, 8);
            OpErrors.of(node, () -> RecipeCache.throwFault(node, what)).run();
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            failure = Optional.of(e);
            throw e;
        }
    }

    @Override
    public Event event() {
        return clock.event(this::enter);
    }

    /** Records the run as a CUDA graph the first time, unless it has too many launches. */
    @Override
    public Optional<Runnable> recorded(Runnable run) {
        return Optional.of(new Whole(run));
    }

    /** A run that is replayed as a CUDA graph after it was recorded. */
    private final class Whole implements Runnable {
        private final Runnable run;
        private OptionalLong executable = OptionalLong.empty();
        private boolean isTooLong;

        Whole(Runnable run) {
            this.run = run;
        }

        @Override
        public void run() {
            synchronized (CudaQueue.this) {
                enter();
                if (executable.isEmpty() && !isTooLong) record();
                if (isTooLong) {
                    run.run();
                    return;
                }
                latest = "a recorded run";
                awaiting(() -> streams.launchGraph(executable.getAsLong(), stream));
            }
        }

        private void record() {
            streams.beginCapture(stream);
            recorded = OptionalInt.of(0);
            long graph;
            try {
                run.run();
            } catch (TooLong _) {
                isTooLong = true;
            } finally {
                recorded = OptionalInt.empty();
                graph = streams.endCapture(stream);
            }
            try {
                if (isTooLong) return;
                long made = streams.instantiate(graph);
                executables.add(made);
                executable = OptionalLong.of(made);
            } finally {
                streams.destroyGraph(graph);
            }
        }
    }

    /** Thrown while recording a run that has more launches than may be recorded. */
    private static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private void count(int launches) {
        if (recorded.isEmpty()) return;
        recorded = OptionalInt.of(recorded.getAsInt() + launches);
        if (recorded.getAsInt() > MOST_RECORDED) throw new TooLong();
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        if (lost.isPresent()) return; // only the end of the process frees it
        gpu.enter();
        streams.drain(stream);
        executables.forEach(streams::destroyExecutable);
        allocated.keySet().forEach(streams::free);
        streams.free(fault);
        staging.close();
        clock.close();
        streams.destroyStream(stream);
    }
}
