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

/** Receives the messages of other ranks. Messages of another attempt of the stage are refused. */
final class MessageReceiver extends RpcHandler {
    /** The answer to a request, which ranks never send. */
    static final String NO_QUESTIONS = "ranks ask no questions";

    private static final String CLOSED = "its connection was closed";
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final CompletableFuture<Members> members = new CompletableFuture<>();

    /** All open connections, in both directions. */
    private final Set<TransportClient> connections = ConcurrentHashMap.newKeySet();

    /** The rank at the other end of each connection. */
    private final Map<TransportClient, Peer> speakers = new ConcurrentHashMap<>();

    /** The buffers into which each connection is read, unless it is encrypted. */
    private final Map<TransportClient, DirectReads> reads = new ConcurrentHashMap<>();

    private final boolean plain;

    /**
     * @param plain whether connections are not encrypted
     */
    MessageReceiver(boolean plain) {
        this.plain = plain;
    }

    private record Members(long session, List<Peer> peers) {}

    /** Sets the ranks of the group, once they are known. */
    void open(long session, List<Peer> peers) {
        members.complete(new Members(session, List.copyOf(peers)));
    }

    /** Registers a connection that this rank opened; when it closes, the peer is gone. */
    void connected(TransportClient client, Peer peer) {
        speakers.put(client, peer);
        if (!client.isActive()) peer.close(CLOSED);
    }

    /**
     * Closes all connections; afterwards no network thread accesses memory that was given to a
     * transfer.
     */
    void close() {
        members.completeExceptionally(new IllegalStateException("this rank has left the group"));
        var closing = connections.stream().map(c -> c.getChannel().close()).toList();
        for (var one : closing) one.awaitUninterruptibly(CLOSING.toMillis());
    }

    private Peer speaker(TransportClient client, MessageHeader header) {
        // a peer that received the addresses earlier may send before this rank is ready
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
        var header = MessageHeader.decoded(message);
        speaker(client, header).invite(header.number(), header.bytes());
    }

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
        callback.onFailure(new UnsupportedOperationException(NO_QUESTIONS));
    }

    @Override
    public StreamCallbackWithID receiveStream(
            TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
        var header = MessageHeader.decoded(message);
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
