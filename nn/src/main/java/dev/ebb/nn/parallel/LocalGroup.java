package dev.ebb.nn.parallel;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Ranks as threads of one process: a message is a copy from one rank's memory to another's. */
public final class LocalGroup implements Group {
    private final int rank;
    private final List<List<Channel>> channels;
    private final Duration patience;
    private final ExchangeQueue queue = new ExchangeQueue();

    private LocalGroup(int rank, List<List<Channel>> channels, Duration patience) {
        this.rank = rank;
        this.channels = channels;
        this.patience = patience;
    }

    /** All ranks of a group, each for a thread of its own. */
    public static List<Group> of(int size, Duration patience) {
        if (size < 1)
            throw new IllegalArgumentException("a group of " + size + " ranks; take one at least");
        var channels = new ArrayList<List<Channel>>();
        for (int from = 0; from < size; from++) {
            var row = new ArrayList<Channel>();
            for (int to = 0; to < size; to++) row.add(new Channel());
            channels.add(row);
        }
        var ranks = new ArrayList<Group>();
        for (int i = 0; i < size; i++) ranks.add(new LocalGroup(i, channels, patience));
        return ranks;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return channels.size();
    }

    @Override
    public ExchangeQueue queue() {
        return queue;
    }

    @Override
    public Transfer send(int to, MemorySegment data) {
        var done = channels.get(rank).get(to).send(data);
        return () -> await(done, "rank " + to + " took no message from rank " + rank);
    }

    @Override
    public Transfer receive(int from, MemorySegment into) {
        var done = channels.get(from).get(rank).receive(into);
        return () -> await(done, "rank " + from + " sent no message to rank " + rank);
    }

    private void await(CompletableFuture<Void> done, String operation) {
        try {
            done.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new PeerException(
                    operation + " within " + patience.toMillis() / 1000.0 + " s; see what it does",
                    e);
        } catch (ExecutionException e) {
            throw new PeerException(
                    operation + ": " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerException("rank " + rank + " was interrupted while it waited", e);
        }
    }

    @Override
    public void settle() {
        queue.settle();
        boolean settled = true;
        for (int other = 0; other < size(); other++) {
            settled &= channels.get(rank).get(other).hasSent();
            settled &= channels.get(other).get(rank).hasReceived();
        }
        if (!settled) close();
    }

    @Override
    public void close() {
        for (int other = 0; other < size(); other++) {
            channels.get(rank).get(other).close("rank " + rank);
            channels.get(other).get(rank).close("rank " + rank);
        }
        queue.close();
    }

    @Override
    public String toString() {
        return "group of " + size();
    }

    /** Bytes of an open transfer, with the future that completes when they have been copied. */
    private record Waiting(MemorySegment bytes, CompletableFuture<Void> done) {}

    /** The messages from one rank to another. */
    private static final class Channel {
        private final Queue<Waiting> sends = new ArrayDeque<>();
        private final Queue<Waiting> receives = new ArrayDeque<>();
        private String left = "";

        CompletableFuture<Void> send(MemorySegment data) {
            return post(sends, data);
        }

        CompletableFuture<Void> receive(MemorySegment into) {
            return post(receives, into);
        }

        private synchronized CompletableFuture<Void> post(Queue<Waiting> queue, MemorySegment m) {
            var done = new CompletableFuture<Void>();
            if (!left.isEmpty()) {
                done.completeExceptionally(new IllegalStateException(left + " has left the group"));
                return done;
            }
            queue.add(new Waiting(m, done));
            while (!sends.isEmpty() && !receives.isEmpty()) copy(sends.remove(), receives.remove());
            return done;
        }

        private static void copy(Waiting from, Waiting to) {
            if (from.bytes.byteSize() != to.bytes.byteSize()) {
                var wrong =
                        new IllegalStateException(
                                "%s bytes were sent and %s awaited: the ranks run different programs"
                                        .formatted(from.bytes.byteSize(), to.bytes.byteSize()));
                from.done.completeExceptionally(wrong);
                to.done.completeExceptionally(wrong);
                return;
            }
            to.bytes.copyFrom(from.bytes);
            from.done.complete(null);
            to.done.complete(null);
        }

        /** Whether all sent messages have been received. */
        synchronized boolean hasSent() {
            return sends.isEmpty();
        }

        /** Whether all requested messages have arrived. */
        synchronized boolean hasReceived() {
            return receives.isEmpty();
        }

        synchronized void close(String name) {
            if (left.isEmpty()) left = name;
            var gone = new IllegalStateException(name + " has left the group");
            sends.forEach(w -> w.done.completeExceptionally(gone));
            receives.forEach(w -> w.done.completeExceptionally(gone));
            sends.clear();
            receives.clear();
        }
    }
}
