package dev.ebb.reference;

import dev.ebb.exec.HostPool;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Pinned host memory of a {@link RemoteDevice}: two streams copy to it and from it beside the
 * queue, which waits for a copy only where its work says so. The host waits for none.
 */
final class RemotePool implements HostPool, HostPool.DeviceCopies {

    /** What this needs of the queue whose memory it copies. */
    interface Owner {
        /**
         * Puts work on the queue, or in the run that is recorded, which must not throw. It is done
         * even after a failure: copies of a GPU know nothing of its kernels.
         */
        void put(Runnable body);

        /** Waits for all work on the queue, whether it failed or not. */
        void drain();

        void copyOut(Memory from, MemorySegment to);

        void copyIn(MemorySegment from, Memory to);
    }

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final Owner owner;
    private final RemoteStream out;
    private final RemoteStream in;

    RemotePool(Owner owner, long bytes, Random random) {
        this.owner = owner;
        memory = arena.allocate(bytes, 64);
        out = new RemoteStream("remote-copies-out", new Random(random.nextLong()));
        in = new RemoteStream("remote-copies-in", new Random(random.nextLong()));
    }

    @Override
    public void store(Memory from, Queue.Event ready, long offset) {
        ready.nanos();
        var to = memory.asSlice(offset, from.bytes());
        if (from instanceof Memory.Host(var here)) to.copyFrom(here);
        else await(out, () -> owner.copyOut(from, to));
    }

    @Override
    public void load(long offset, Memory to, Queue.Event ready) {
        ready.nanos();
        var from = memory.asSlice(offset, to.bytes());
        if (to instanceof Memory.Host(var here)) here.copyFrom(from);
        else await(in, () -> owner.copyIn(from, to));
    }

    private static CompletableFuture<Boolean> enqueue(RemoteStream stream, Runnable body) {
        var done = new CompletableFuture<Boolean>();
        stream.add(
                () -> {
                    try {
                        body.run();
                        done.complete(true);
                    } catch (RuntimeException e) {
                        done.completeExceptionally(e);
                    }
                });
        return done;
    }

    private static void await(RemoteStream stream, Runnable body) {
        try {
            enqueue(stream, body).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) throw cause;
            throw e;
        }
    }

    @Override
    public Optional<DeviceCopies> deviceCopies() {
        return Optional.of(this);
    }

    @Override
    public DeviceCopy copy(Memory away, long offset, boolean out, List<DeviceCopy> earlier) {
        return new Copy(away, memory.asSlice(offset, away.bytes()), out, earlier);
    }

    @Override
    public void finish() {
        owner.drain();
        out.drain();
        in.drain();
    }

    private final class Copy implements DeviceCopy {
        private final Memory away;
        private final MemorySegment here;
        private final boolean leaving;
        private final List<DeviceCopy> earlier;

        /** When the copy has been made that the queue started last; only the queue asks. */
        private CompletableFuture<Boolean> done = CompletableFuture.completedFuture(true);

        Copy(Memory away, MemorySegment here, boolean leaving, List<DeviceCopy> earlier) {
            this.away = away;
            this.here = here;
            this.leaving = leaving;
            this.earlier = earlier;
        }

        @Override
        public void start() {
            owner.put(
                    () -> {
                        var before = earlier.stream().map(c -> ((Copy) c).done).toList();
                        done =
                                enqueue(
                                        leaving ? out : in,
                                        () -> {
                                            before.forEach(CompletableFuture::join);
                                            if (leaving) owner.copyOut(away, here);
                                            else owner.copyIn(here, away);
                                        });
                    });
        }

        @Override
        public void await() {
            owner.put(() -> done.exceptionally(_ -> false).join());
        }
    }

    @Override
    public void close() {
        finish();
        out.close();
        in.close();
        arena.close();
    }
}
