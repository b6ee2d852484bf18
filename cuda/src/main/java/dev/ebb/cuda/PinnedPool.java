package dev.ebb.cuda;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

/**
 * Pinned host memory for values that are offloaded from a card. The card copies them by itself, on
 * a stream of this pool's own, beside the kernels of its queue: a copy waits for the work that was
 * put on the queue before it was asked for, and for nothing after that.
 */
final class PinnedPool implements HostPool {
    private final Streams streams;
    private final Runnable enter;
    private final long stream;
    private final long address;

    /** Takes so many bytes; {@code enter} comes before every call of the driver. */
    PinnedPool(Streams streams, Runnable enter, long bytes) {
        this.streams = streams;
        this.enter = enter;
        enter.run();
        address = streams.allocatePinned(bytes);
        stream = streams.stream();
    }

    @Override
    public void store(Memory from, Queue.Event ready, long offset) {
        begin(ready);
        streams.toHost(address + offset, from.address(), from.bytes(), stream);
        streams.drain(stream);
    }

    @Override
    public void load(long offset, Memory to, Queue.Event ready) {
        begin(ready);
        streams.toDevice(to.address(), address + offset, to.bytes(), stream);
        streams.drain(stream);
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
        streams.drain(stream);
        streams.destroyStream(stream);
        streams.freePinned(address);
    }
}
