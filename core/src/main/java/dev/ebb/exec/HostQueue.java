package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue of a device that computes on the thread that asks, in the host's memory: what is put on
 * it has run when the call returns, so that nothing ever waits.
 */
public final class HostQueue implements Queue {
    private static final long LINE = 64;

    /** Makes computations that have run when they return. */
    @FunctionalInterface
    public interface Binder {
        Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace);
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
    public Allocation allocate(long bytes) {
        var made = new Owned(bytes);
        synchronized (owned) {
            owned.add(made);
        }
        return made;
    }

    @Override
    public Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        return binder.bind(node, inputs, outputs, workspace);
    }

    @Override
    public void copy(Memory from, Memory to) {
        MemorySegment.copy(from.segment(), 0, to.segment(), 0, from.bytes());
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
        List<Owned> all;
        synchronized (owned) {
            all = List.copyOf(owned);
        }
        all.forEach(Owned::close);
    }
}
