package dev.ebb.spark;

import dev.ebb.nn.parallel.PeerException;

import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientFactory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The transfers between this rank and one other. The receiver of a message first announces that its
 * memory is ready; the sender then streams the bytes from its own memory into it. So nothing is
 * buffered, and no network thread ever blocks.
 */
final class Peer {
    private final int rank;
    private final String host;
    private final int port;
    private final int own;
    private final long session;
    private @Nullable TransportClient client;

    private final Map<Long, Waiting> sends = new HashMap<>();
    private final Map<Long, Waiting> receives = new HashMap<>();

    /** The lengths of messages that the peer is ready to receive and that are not sent yet. */
    private final Map<Long, Long> invited = new HashMap<>();

    private long sent;
    private long received;
    private String gone = "";

    /** The number of transfers that have not ended. */
    private int open;

    private boolean failed;

    private record Waiting(MemorySegment bytes, CompletableFuture<Void> done) {}

    Peer(int rank, String host, int port, int own, long session) {
        this.rank = rank;
        this.host = host;
        this.port = port;
        this.own = own;
        this.session = session;
    }

    String name() {
        return "rank " + rank + " at " + host + ":" + port;
    }

    private synchronized Waiting begun(MemorySegment bytes) {
        open++;
        return new Waiting(bytes, new CompletableFuture<>());
    }

    /** Whether every transfer has ended successfully. */
    synchronized boolean isSettled() {
        return open == 0 && !failed;
    }

    CompletableFuture<Void> send(MemorySegment data) {
        var waiting = begun(data);
        long number;
        synchronized (this) {
            number = sent++;
            if (!gone.isEmpty()) {
                fail(waiting, gone);
                return waiting.done;
            }
            Long length = invited.remove(number);
            if (length == null) {
                sends.put(number, waiting);
                return waiting.done;
            }
            if (length != data.byteSize()) {
                fail(waiting, other(data.byteSize(), length));
                return waiting.done;
            }
        }
        upload(number, waiting);
        return waiting.done;
    }

    /** The peer is ready to receive message {@code number}. */
    void invite(long number, long bytes) {
        Waiting waiting;
        synchronized (this) {
            waiting = sends.remove(number);
            if (waiting == null) {
                invited.put(number, bytes);
                return;
            }
        }
        if (waiting.bytes.byteSize() == bytes) upload(number, waiting);
        else fail(waiting, other(waiting.bytes.byteSize(), bytes));
    }

    CompletableFuture<Void> receive(MemorySegment into) {
        var waiting = begun(into);
        long number;
        synchronized (this) {
            number = received++;
            if (!gone.isEmpty()) {
                fail(waiting, gone);
                return waiting.done;
            }
            receives.put(number, waiting);
        }
        try {
            client().send(new MessageHeader(session, own, number, into.byteSize()).encoded());
        } catch (RuntimeException e) {
            synchronized (this) {
                receives.remove(number);
            }
            fail(waiting, String.valueOf(e.getMessage()));
        }
        return waiting.done;
    }

    /** Opens the connection on the calling thread, so that no network thread has to. */
    TransportClient connect(TransportClientFactory clients)
            throws IOException, InterruptedException {
        var made = clients.createClient(host, port);
        synchronized (this) {
            client = made;
        }
        return made;
    }

    private synchronized TransportClient client() {
        if (client == null) throw new IllegalStateException("there is no connection yet");
        return client;
    }

    private void upload(long number, Waiting waiting) {
        var header = new MessageHeader(session, own, number, waiting.bytes.byteSize());
        try {
            client().uploadStream(
                            new NioManagedBuffer(header.encoded()),
                            new OutgoingMessage(waiting.bytes),
                            new RpcResponseCallback() {
                                @Override
                                public void onSuccess(ByteBuffer response) {
                                    succeed(waiting);
                                }

                                @Override
                                public void onFailure(Throwable e) {
                                    fail(waiting, String.valueOf(e.getMessage()));
                                }
                            });
        } catch (RuntimeException e) {
            fail(waiting, String.valueOf(e.getMessage()));
        }
    }

    /** The peer starts to send message {@code header.number()}; returns where to receive it. */
    IncomingMessage arriving(MessageHeader header) {
        Waiting waiting;
        synchronized (this) {
            waiting = receives.remove(header.number());
        }
        if (waiting == null) {
            throw new IllegalStateException(
                    name() + " sent message " + header.number() + ", which nobody asked for");
        }
        return new IncomingMessage(
                "message " + header.number() + " of " + name(),
                waiting.bytes,
                wrong -> {
                    if (wrong.isEmpty()) succeed(waiting);
                    else fail(waiting, wrong);
                });
    }

    /** The peer's connection is closed: all transfers that wait for it fail. */
    void close(String why) {
        var all = new ArrayList<Waiting>();
        synchronized (this) {
            gone = why;
            all.addAll(receives.values());
            all.addAll(sends.values());
            receives.clear();
            sends.clear();
        }
        all.forEach(w -> fail(w, why));
    }

    // waiting threads are woken after the count is updated

    private synchronized void succeed(Waiting waiting) {
        if (!waiting.done.isDone()) open--;
        waiting.done.complete(null);
    }

    private synchronized void fail(Waiting waiting, String why) {
        if (!waiting.done.isDone()) open--;
        failed = true;
        waiting.done.completeExceptionally(new PeerException(name() + ": " + why));
    }

    private static String other(long sent, long awaited) {
        return sent
                + " bytes were sent and "
                + awaited
                + " awaited: the ranks run different programs";
    }
}
