package dev.ebb.reference;

import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.exec.RelocatableKernel;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;
import dev.ebb.plan.schedule.Cost;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * A device on the host whose memory is measured: it is handed out full of a pattern, between two
 * guards of the same pattern, and counted where it is allocated. What a run wrote is what no longer
 * shows the pattern; a byte that happens to be written with the pattern shows under another one.
 * Where {@link GuardPages} are asked for, a page lies before and behind that no load or store may
 * touch: the process ends at the first that does.
 */
public final class Guarded implements Device {
    private static final long GUARD = 4096;
    private static final long ALIGNED = 64;

    private final Device device;
    private final byte pattern;
    private final boolean pages;
    private final FusionLimits fusion;
    private final List<Living> living = new ArrayList<>();

    public Guarded(Device device, int pattern) {
        this(device, pattern, false, device.fusion());
    }

    private Guarded(Device device, int pattern, boolean pages, FusionLimits fusion) {
        this.device = device;
        this.pattern = (byte) pattern;
        this.pages = pages;
        this.fusion = fusion;
    }

    /** With several folds and several results of rows in one kernel: no bit may differ. */
    public Guarded joiningFolds() {
        return new Guarded(device, pattern, pages, joint(fusion, 4, 2));
    }

    /** {@code limits} with other limits of what one kernel computes together. */
    public static FusionLimits joint(FusionLimits limits, int folds, long fewestRows) {
        return new FusionLimits(
                limits.cheap(),
                limits.cheapFromNothing(),
                limits.operands(),
                limits.body(),
                limits.epilogue(),
                limits.decoding(),
                limits.biases(),
                limits.shortestRow(),
                limits.rowBytes(),
                limits.widestColumns(),
                limits.rowNumbers(),
                folds,
                fewestRows);
    }

    /** Between pages that cannot be touched; for a process of its own, on Linux. */
    public static Guarded byPages(Device device, int pattern) {
        return new Guarded(device, pattern, true, device.fusion());
    }

    /**
     * Memory that was handed out.
     *
     * @param whole what may be looked at: the memory, and guards before and behind it
     * @param start where the memory begins in {@code whole}
     */
    private record Living(MemorySegment whole, long start, long bytes) {}

    /**
     * What is allocated now and was written since.
     *
     * @param end the end of the highest byte written, of the allocation where that is highest
     */
    public record Touched(long allocated, long written, long end) {}

    /** Measures, and throws if anything outside was written. */
    public Touched touched() {
        long allocated = 0;
        long written = 0;
        long end = 0;
        for (var l : living) {
            long behind = l.start + l.bytes;
            allocated += l.bytes;
            for (long i = 0; i < l.whole.byteSize(); i++) {
                if (!changed(l.whole, i)) continue;
                if (i < l.start)
                    throw new AssertionError("written " + (l.start - i) + " bytes before it");
                if (i >= behind)
                    throw new AssertionError("written " + (i - behind) + " bytes behind the end");
                written++;
                end = Math.max(end, i - l.start + 1);
            }
        }
        return new Touched(allocated, written, end);
    }

    private boolean changed(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_BYTE, at) != pattern;
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public String signature() {
        return device.signature();
    }

    @Override
    public long workspaceBytes(Node node) {
        return device.workspaceBytes(node);
    }

    @Override
    public Threads threads() {
        return device.threads();
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return device.ownBytes(nodes);
    }

    @Override
    public long mostOwnBytes(int workers) {
        return device.mostOwnBytes(workers);
    }

    @Override
    public int cutEvery(Node node, int axis) {
        return device.cutEvery(node, axis);
    }

    @Override
    public FusionLimits fusion() {
        return fusion;
    }

    @Override
    public Cost cost() {
        return device.cost();
    }

    @Override
    public Queue open() {
        return new Between(device.open());
    }

    private final class Between implements Queue {
        private final Queue queue;
        private final List<Living> mine = new ArrayList<>();

        Between(Queue queue) {
            this.queue = queue;
        }

        @Override
        public Allocation allocate(long bytes) {
            return pages ? betweenPages(bytes) : betweenPatterns(bytes);
        }

        private Allocation betweenPatterns(long bytes) {
            var whole = queue.allocate(bytes + 2 * GUARD);
            return handOut(new Living(whole.memory().segment(), GUARD, bytes), whole::close);
        }

        private Allocation betweenPages(long bytes) {
            var mapped = GuardPages.map(bytes);
            long start = mapped.memory().byteSize() - bytes & -ALIGNED;
            return handOut(new Living(mapped.memory(), start, bytes), mapped::close);
        }

        private Allocation handOut(Living taken, Runnable giveBack) {
            taken.whole.fill(pattern);
            living.add(taken);
            mine.add(taken);
            var memory = Memory.of(taken.whole.asSlice(taken.start, taken.bytes));
            return new Allocation() {
                @Override
                public Memory memory() {
                    return memory;
                }

                @Override
                public void close() {
                    living.remove(taken);
                    giveBack.run();
                }
            };
        }

        @Override
        public IntToLongFunction ownBytes(List<Node> nodes) {
            return queue.ownBytes(nodes);
        }

        @Override
        public void reserve(List<Node> nodes, int workers) {
            queue.reserve(nodes, workers);
        }

        @Override
        public Runnable bind(Node node, List<Buffer> in, List<Buffer> out, Buffer workspace) {
            return queue.bind(node, in, out, workspace);
        }

        @Override
        public int compiledAfter() {
            return queue.compiledAfter();
        }

        @Override
        public boolean isCompiledAtOnce(List<Node> nodes) {
            return queue.isCompiledAtOnce(nodes);
        }

        @Override
        public Optional<CompiledSequence> compiled(Sequence sequence) {
            return queue.compiled(sequence);
        }

        @Override
        public Optional<ArrayFunction> arrayFunction(Sequence sequence, int arguments) {
            return queue.arrayFunction(sequence, arguments);
        }

        @Override
        public Optional<RelocatableKernel> relocatable(Node node) {
            return queue.relocatable(node);
        }

        @Override
        public void copy(Memory from, Memory to) {
            queue.copy(from, to);
        }

        @Override
        public void clear(Memory memory) {
            queue.clear(memory);
        }

        @Override
        public void write(MemorySegment from, Memory to) {
            queue.write(from, to);
        }

        @Override
        public void read(Memory from, MemorySegment to) {
            queue.read(from, to);
        }

        @Override
        public void finish() {
            queue.finish();
        }

        @Override
        public Event event() {
            return queue.event();
        }

        @Override
        public void close() {
            living.removeAll(mine);
            queue.close();
        }
    }
}
