package dev.ebb.cuda;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

import java.lang.foreign.MemorySegment;

/**
 * Pinned host memory for values that are offloaded from a card. The card copies them by itself, on
 * streams of this pool's own, one for each way, beside the kernels of its queue: a copy waits for
 * the work that was put on the queue before it was asked for, and for nothing after that.
 */
final class PinnedPool implements HostPool {
    private final Streams streams;
    private final Runnable enter;
    private final long out;
    private final long in;
    private final long address;
    private final MemorySegment memory;

    /** Takes so many bytes; {@code enter} comes before every call of the driver. */
    PinnedPool(Streams streams, Runnable enter, long bytes) {
        this.streams = streams;
        this.enter = enter;
        enter.run();
        address = streams.allocatePinned(bytes);
        memory = view(address, bytes);
        out = streams.stream();
        in = streams.stream();
    }

    @SuppressWarnings("restricted") // the driver has just given so many bytes
    private static MemorySegment view(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public void store(Memory from, Queue.Event ready, long offset) {
        begin(ready);
        if (from instanceof Memory.Host(var host)) { // what starts here, before the first run
            memory.asSlice(offset, host.byteSize()).copyFrom(host);
            return;
        }
        streams.toHost(address + offset, from.address(), from.bytes(), out);
        streams.drain(out);
    }

    @Override
    public void load(long offset, Memory to, Queue.Event ready) {
        begin(ready);
        if (to instanceof Memory.Host(var host)) { // what ends here, after the last run
            host.copyFrom(memory.asSlice(offset, host.byteSize()));
            return;
        }
        streams.toDevice(to.address(), address + offset, to.bytes(), in);
        streams.drain(in);
    }

    private void begin(Queue.Event ready) {
        enter.run();
        ready.nanos(); // waits for it
    }

    @Override
    public void close() {
        try {
            enter.run();
        } catch (CudaException e) {
            return; // the card is lost: nothing of it can be given back
        }
        for (long stream : new long[] {out, in}) {
            streams.drain(stream);
            streams.destroyStream(stream);
        }
        streams.freePinned(address);
    }
}
