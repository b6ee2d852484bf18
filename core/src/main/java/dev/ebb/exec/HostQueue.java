package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * The queue of a device that computes synchronously, on the calling thread and in host memory: work
 * has finished when the call returns.
 */
public final class HostQueue implements Queue {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private static final long LINE = 64;

    /** Makes computations that are finished when their call returns. */
    @FunctionalInterface
    public interface Binder extends KernelBinder {
        /** Frees the reserved memory. */
        default void release() {}
    }

    private final Binder binder;
    private final List<Owned> owned = new ArrayList<>();

    public HostQueue(Binder binder) {
        this.binder = binder;
    }

    private final class Owned implements Allocation {
        private final Arena arena = Arena.ofShared();
        private final Memory memory;

        Owned(long bytes) {
            memory = Memory.of(arena.allocate(Math.max(bytes, LINE), LINE)).slice(0, bytes);
        }

        @Override
        public Memory memory() {
            return memory;
        }

        @Override
        public void close() {
            synchronized (owned) {
                if (owned.remove(this)) arena.close();
            }
        }
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return binder.ownBytes(nodes);
    }

    @Override
    public void reserve(List<Node> nodes, int workers) {
        binder.reserve(nodes, workers);
    }

    @Override
    public Allocation allocate(long bytes) {
        var made = new Owned(bytes);
        synchronized (owned) {
            owned.add(made);
        }
        return made;
    }

    @Override
    public Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        return OpErrors.of(node, binder.bind(node, inputs, outputs, workspace));
    }

    @Override
    public int compiledAfter() {
        return binder.compiledAfter();
    }

    @Override
    public boolean isCompiledAtOnce(List<Node> nodes) {
        return binder.isCompiledAtOnce(nodes);
    }

    @Override
    public Optional<CompiledSequence> compiled(Sequence sequence) {
        return binder.compiled(sequence);
    }

    @Override
    public Optional<ArrayFunction> arrayFunction(Sequence sequence, int arguments) {
        return binder.arrayFunction(sequence, arguments);
    }

    @Override
    public Optional<RelocatableKernel> relocatable(Node node) {
        return binder.relocatable(node);
    }

    @Override
    public void copy(Memory from, Memory to) {
        MemorySegment.copy(from.segment(), 0, to.segment(), 0, from.bytes());
    }

    @Override
    public void copy(Memory from, long fromOffset, Memory to, long toOffset, long bytes) {
        // a single number, such as a carry of a loop, is copied without a call
        if (bytes == 8) to.segment().set(WORD, toOffset, from.segment().get(WORD, fromOffset));
        else MemorySegment.copy(from.segment(), fromOffset, to.segment(), toOffset, bytes);
    }

    @Override
    public void clear(Memory memory) {
        memory.segment().fill((byte) 0);
    }

    @Override
    public void write(MemorySegment from, Memory to) {
        MemorySegment.copy(from, 0, to.segment(), 0, from.byteSize());
    }

    @Override
    public void read(Memory from, MemorySegment to) {
        MemorySegment.copy(from.segment(), 0, to, 0, from.bytes());
    }

    @Override
    public void finish() {}

    @Override
    public Event event() {
        return new Moment();
    }

    private static final class Moment implements Event {
        private long nanos;

        @Override
        public void mark() {
            nanos = System.nanoTime();
        }

        @Override
        public long nanos() {
            return nanos;
        }
    }

    @Override
    public void close() {
        binder.release();
        List<Owned> all;
        synchronized (owned) {
            all = List.copyOf(owned);
        }
        all.forEach(Owned::close);
    }
}
