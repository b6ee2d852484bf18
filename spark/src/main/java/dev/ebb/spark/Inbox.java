package dev.ebb.spark;

import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** What other ranks say to this one. Messages of another attempt of the stage are refused. */
final class Inbox extends RpcHandler {
    /** What a rank says to who asks something. */
    static final String NO_QUESTIONS = "ranks ask no questions";

    private static final String CLOSED = "its connection was closed";
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final CompletableFuture<Members> members = new CompletableFuture<>();

    /** All connections there are, both ways. */
    private final Set<TransportClient> connections = ConcurrentHashMap.newKeySet();

    /** Which rank is at the other end of a connection. */
    private final Map<TransportClient, Peer> speakers = new ConcurrentHashMap<>();

    /** Where each connection's bytes are read to, unless they are encrypted. */
    private final Map<TransportClient, DirectReads> reads = new ConcurrentHashMap<>();

    private final boolean plain;

    /**
     * @param plain whether bytes come as they were sent
     */
    Inbox(boolean plain) {
        this.plain = plain;
    }

    private record Members(long session, List<Peer> peers) {}

    /** From now on the ranks are known. */
    void open(long session, List<Peer> peers) {
        members.complete(new Members(session, List.copyOf(peers)));
    }

    /** A connection that this rank made, by which it is told too that a peer is gone. */
    void connected(TransportClient client, Peer peer) {
        speakers.put(client, peer);
        if (!client.isActive()) peer.close(CLOSED);
    }

    /**
     * Closes all connections; afterwards no thread of the network reads to, or writes from, memory
     * that was handed to a transfer.
     */
    void close() {
        members.completeExceptionally(new IllegalStateException("this rank has left the group"));
        var closing = connections.stream().map(c -> c.getChannel().close()).toList();
        for (var one : closing) one.awaitUninterruptibly(CLOSING.toMillis());
    }

    private Peer speaker(TransportClient client, Header header) {
        // a peer that was told the addresses a moment earlier may speak before this rank is ready
        var known = members.join();
        if (header.session() != known.session)
            throw new IllegalArgumentException("a message of another attempt of the stage");
        if (header.from() < 0 || header.from() >= known.peers.size())
            throw new IllegalArgumentException("a message of rank " + header.from());
        var peer = known.peers.get(header.from());
        speakers.put(client, peer);
        return peer;
    }

    @Override
    public void channelActive(TransportClient client) {
        connections.add(client);
        if (!plain) return;
        var direct = new DirectReads();
        reads.put(client, direct);
        client.getChannel().config().setRecvByteBufAllocator(direct);
    }

    @Override
    public void receive(TransportClient client, ByteBuffer message) {
        var header = Header.decoded(message);
        speaker(client, header).invite(header.number(), header.bytes());
    }

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
        callback.onFailure(new UnsupportedOperationException(NO_QUESTIONS));
    }

    @Override
    public StreamCallbackWithID receiveStream(
            TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
        var header = Header.decoded(message);
        var arrival = speaker(client, header).arriving(header);
        Optional.ofNullable(reads.get(client)).ifPresent(r -> r.begin(arrival));
        return arrival;
    }

    @Override
    public void channelInactive(TransportClient client) {
        connections.remove(client);
        reads.remove(client);
        Optional.ofNullable(speakers.remove(client)).ifPresent(peer -> peer.close(CLOSED));
    }

    @Override
    public StreamManager getStreamManager() {
        return new StreamManager() {
            @Override
            public ManagedBuffer getChunk(long stream, int chunk) {
                throw new UnsupportedOperationException("ranks keep no streams");
            }
        };
    }
}
