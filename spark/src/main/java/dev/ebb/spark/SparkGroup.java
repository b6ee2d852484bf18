package dev.ebb.spark;

import dev.ebb.nn.parallel.ExchangeQueue;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.LinkCost;
import dev.ebb.nn.parallel.PeerException;

import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.client.TransportClientBootstrap;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.crypto.AuthClientBootstrap;
import org.apache.spark.network.crypto.AuthServerBootstrap;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.sasl.SecretKeyHolder;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.server.TransportServerBootstrap;
import org.apache.spark.network.util.TransportConf;

import scala.Option;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * A group of ranks on executors that communicate over Spark's own transport, with its
 * authentication and encryption.
 */
public final class SparkGroup implements Group {
    private final int rank;
    private final Duration patience;
    private final MessageReceiver inbox;
    private final TransportContext context;
    private final TransportServer server;
    private final TransportClientFactory clients;
    private final List<Peer> peers = new ArrayList<>();
    private final ExchangeQueue queue = new ExchangeQueue();
    private volatile LinkCost linkCost = LinkCost.TYPICAL;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * The secret by which ranks authenticate each other.
     *
     * @param application the name under which the secret is stored
     */
    record Secret(String application, SecretKeyHolder holder) {}

    /** Exchanges texts: each rank gets those of all ranks, in the order of ranks. */
    interface Gathering extends UnaryOperator<List<String>> {}

    /**
     * Joins the other tasks of a barrier stage, one rank each; all tasks must call this.
     *
     * @param patience how long to wait for a peer before it counts as failed
     */
    public static SparkGroup join(BarrierTaskContext task, Duration patience) {
        var env = SparkEnv.get();
        var security = env.securityManager();
        Optional<Secret> secret =
                security.isAuthenticationEnabled()
                        ? Optional.of(new Secret(env.conf().getAppId(), security))
                        : Optional.empty();
        var conf =
                SparkTransportConf.fromSparkConf(
                        env.conf()
                                .clone()
                                .set("spark.ebb.io.mode", "NIO")
                                .set(
                                        "spark.ebb.io.connectionCreationTimeout",
                                        patience.toMillis() + "ms"),
                        "ebb",
                        2,
                        Option.empty(),
                        Option.empty());
        var host = task.getTaskInfos()[task.partitionId()].address().split(":", 2)[0];
        return new SparkGroup(
                task.partitionId(),
                conf,
                secret,
                host,
                patience,
                own -> List.of(task.allGather(own.getFirst())));
    }

    SparkGroup(
            int rank,
            TransportConf conf,
            Optional<Secret> secret,
            String host,
            Duration patience,
            Gathering gathering) {
        this.rank = rank;
        this.patience = patience;
        inbox = new MessageReceiver(secret.isEmpty() && !conf.sslRpcEnabled());
        context = new TransportContext(conf, inbox);
        List<TransportServerBootstrap> servers = new ArrayList<>();
        List<TransportClientBootstrap> bootstraps = new ArrayList<>();
        secret.ifPresent(
                s -> {
                    servers.add(new AuthServerBootstrap(conf, s.holder));
                    bootstraps.add(new AuthClientBootstrap(conf, s.application, s.holder));
                });
        server = context.createServer(servers);
        clients = context.createClientFactory(bootstraps);
        try {
            long number = new SecureRandom().nextLong();
            var all = gathering.apply(List.of(host + " " + server.getPort() + " " + number));
            long session = Long.parseLong(all.getFirst().split(" ", -1)[2]);
            for (int i = 0; i < all.size(); i++) {
                var words = all.get(i).split(" ", -1);
                peers.add(new Peer(i, words[0], Integer.parseInt(words[1]), rank, session));
            }
            inbox.open(session, peers);
            connect();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void connect() {
        for (var peer : peers) {
            if (peer == peers.get(rank)) continue;
            try {
                inbox.connected(peer.connect(clients), peer);
            } catch (IOException | RuntimeException e) {
                throw new PeerException(
                        ("%s cannot be reached (%s); ranks must be able to connect to each other's"
                             + " executors, and share one secret where spark.authenticate is set")
                                .formatted(peer.name(), e.getMessage()),
                        e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PeerException("rank " + rank + " was stopped while it connected", e);
            }
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return peers.size();
    }

    @Override
    public ExchangeQueue queue() {
        return queue;
    }

    /** The port on which this rank listens. */
    int port() {
        return server.getPort();
    }

    /** Measures the cost of communication for plans made from now on; all ranks must call this. */
    public void measureLinks() {
        linkCost = LinkCost.measured(this);
    }

    @Override
    public LinkCost linkCost() {
        return linkCost;
    }

    @Override
    public Transfer send(int to, MemorySegment data) {
        var done = peers.get(to).send(data);
        return () -> await(done, to, "took no message from");
    }

    @Override
    public Transfer receive(int from, MemorySegment into) {
        var done = peers.get(from).receive(into);
        return () -> await(done, from, "sent no message to");
    }

    private void await(CompletableFuture<Void> done, int peer, String operation) {
        try {
            done.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new PeerException(
                    "%s %s rank %s within %s s; see its log, or allow more patience"
                            .formatted(
                                    peers.get(peer).name(),
                                    operation,
                                    rank,
                                    patience.toMillis() / 1000.0),
                    e);
        } catch (ExecutionException e) {
            throw new PeerException(
                    String.valueOf(Objects.requireNonNullElse(e.getCause(), e).getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerException("rank " + rank + " was stopped while it waited", e);
        }
    }

    @Override
    public void settle() {
        queue.settle();
        if (!peers.stream().allMatch(Peer::isSettled)) close();
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) return;
        queue.close();
        inbox.close();
        clients.close();
        server.close();
        context.close();
    }

    @Override
    public String toString() {
        return "group of " + size();
    }
}
