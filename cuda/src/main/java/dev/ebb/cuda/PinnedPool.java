package dev.ebb.cuda;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Pinned host memory for values that are offloaded from a GPU. Copies run on two streams of this
 * pool, one for each direction, in parallel with the kernels of its queue: a copy waits for the
 * work enqueued before it was requested, and for nothing later. During a run streams wait for each
 * other, and the host waits for none of them.
 */
final class PinnedPool implements HostPool, HostPool.DeviceCopies {
    private final Streams streams;
    private final Runnable enter;
    private final long queue;
    private final List<Long> marks = new ArrayList<>();
    private final long out;
    private final long in;
    private final long address;
    private final MemorySegment memory;

    /**
     * Allocates {@code bytes}; {@code enter} runs before every call of the driver.
     *
     * @param queue the stream of the queue
     */
    PinnedPool(Streams streams, Runnable enter, long queue, long bytes) {
        this.streams = streams;
        this.enter = enter;
        this.queue = queue;
        enter.run();
        address = streams.allocatePinned(bytes);
        memory = view(address, bytes);
        out = streams.stream();
        in = streams.stream();
    }

    @SuppressWarnings("restricted") // the driver has just allocated this many bytes
    static MemorySegment view(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public void store(Memory from, Queue.Event ready, long offset) {
        begin(ready);
        if (from instanceof Memory.Host(var host)) { // written before the first run
            memory.asSlice(offset, host.byteSize()).copyFrom(host);
            return;
        }
        streams.toHost(address + offset, from.address(), from.bytes(), out);
        streams.drain(out);
    }

    @Override
    public void load(long offset, Memory to, Queue.Event ready) {
        begin(ready);
        if (to instanceof Memory.Host(var host)) { // read after the last run
            host.copyFrom(memory.asSlice(offset, host.byteSize()));
            return;
        }
        streams.toDevice(to.address(), address + offset, to.bytes(), in);
        streams.drain(in);
    }

    @Override
    public Optional<DeviceCopies> deviceCopies() {
        return Optional.of(this);
    }

    private long mark() {
        long mark = streams.mark();
        marks.add(mark);
        return mark;
    }

    @Override
    public DeviceCopy copy(Memory memory, long offset, boolean out, List<DeviceCopy> earlier) {
        enter.run();
        return new Copy(memory, offset, out, earlier, mark(), mark());
    }

    @Override
    public void finish() {
        enter.run();
        streams.drain(out);
        streams.drain(in);
    }

    /** A copy with two events: one on the queue before it, and one on its own stream after it. */
    private final class Copy implements DeviceCopy {
        private final Memory memory;
        private final long offset;
        private final boolean away;
        private final List<DeviceCopy> earlier;
        private final long begun;
        private final long done;

        Copy(
                Memory memory,
                long offset,
                boolean away,
                List<DeviceCopy> earlier,
                long begun,
                long done) {
            this.memory = memory;
            this.offset = offset;
            this.away = away;
            this.earlier = earlier;
            this.begun = begun;
            this.done = done;
        }

        @Override
        public void start() {
            enter.run();
            long own = away ? out : in;
            streams.record(begun, queue);
            streams.waitFor(own, begun);
            for (var other : earlier) streams.waitFor(own, ((Copy) other).done);
            long here = address + offset;
            if (away) streams.toHost(here, memory.address(), memory.bytes(), own);
            else streams.toDevice(memory.address(), here, memory.bytes(), own);
            streams.record(done, own);
        }

        @Override
        public void await() {
            enter.run();
            streams.waitFor(queue, done);
        }
    }

    private void begin(Queue.Event ready) {
        enter.run();
        ready.nanos(); // waits until the copy has ended
    }

    @Override
    public void close() {
        try {
            enter.run();
        } catch (CudaException e) {
            return; // the GPU is lost: nothing can be freed
        }
        marks.forEach(streams::destroyEvent);
        for (long stream : new long[] {out, in}) {
            streams.drain(stream);
            streams.destroyStream(stream);
        }
        streams.freePinned(address);
    }
}
