package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.nn.Seed;
import dev.ebb.nn.parallel.Collectives;
import dev.ebb.nn.parallel.Group;
import dev.ebb.nn.parallel.LocalGroup;
import dev.ebb.nn.parallel.PeerException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.network.sasl.SecretKeyHolder;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Spark's transport between threads, each with its own server. */
class SparkGroupTest {

    private static SparkGroup group(
            int rank, Threads.Board board, Map<String, String> settings, String secret) {
        return group(rank, board, settings, secret, Small.PATIENCE);
    }

    private static SparkGroup group(
            int rank,
            Threads.Board board,
            Map<String, String> settings,
            String secret,
            Duration patience) {
        var conf = new TransportConf("ebb", new MapConfigProvider(new HashMap<>(settings)));
        Optional<SparkGroup.Secret> shared =
                secret.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new SparkGroup.Secret("app", new Holder(secret)));
        return new SparkGroup(
                rank,
                conf,
                shared,
                "localhost",
                patience,
                own -> board.gather(rank, own.getFirst()));
    }

    private record Holder(String secret) implements SecretKeyHolder {
        @Override
        public String getSaslUser(String application) {
            return "ebb";
        }

        @Override
        public String getSecretKey(String application) {
            return secret;
        }
    }

    private static <T> List<T> run(
            int ranks, Map<String, String> settings, String secret, Function<Group, T> body) {
        var board = new Threads.Board(ranks);
        return Threads.run(
                ranks,
                rank -> {
                    try (var group = group(rank, board, settings, secret)) {
                        var result = body.apply(group);
                        board.gather(rank, "done");
                        return result;
                    }
                });
    }

    private static float[] sum(Group group) {
        var seed = new Seed(3).of(group.rank());
        var own = new float[100_003];
        for (int i = 0; i < own.length; i++) own[i] = (float) seed.normal(i);
        return Ebb.compile((Tensor x) -> Collectives.allReduce(x, group))
                .apply(Array.of(own))
                .toFloats();
    }

    @Test
    void the_transport_changes_no_bit() {
        for (int ranks = 2; ranks <= 4; ranks *= 2) {
            var groups = LocalGroup.of(ranks, Small.PATIENCE);
            var expected = Threads.run(ranks, rank -> sum(groups.get(rank)));
            var found = run(ranks, Map.of(), "", SparkGroupTest::sum);
            for (int i = 0; i < ranks; i++) assertThat(found.get(i)).isEqualTo(expected.get(i));
        }
    }

    @Test
    void authenticated_and_encrypted_it_gives_the_same_bits() {
        var plain = run(2, Map.of(), "", SparkGroupTest::sum);
        var settings = Map.of("spark.authenticate", "true", "spark.network.crypto.enabled", "true");
        assertThat(run(2, settings, "secret", SparkGroupTest::sum).getFirst())
                .isEqualTo(plain.getFirst());
    }

    @Test
    void who_does_not_know_the_secret_cannot_join() {
        var settings = Map.of("spark.authenticate", "true", "spark.network.crypto.enabled", "true");
        var board = new Threads.Board(2);
        assertThatThrownBy(
                        () ->
                                Threads.run(
                                        2,
                                        rank -> {
                                            var secret = rank == 0 ? "secret" : "guess";
                                            try (var group = group(rank, board, settings, secret)) {
                                                return sum(group);
                                            }
                                        }))
                .isInstanceOf(PeerException.class)
                .hasMessageContainingAll("rank", "localhost", "secret");
    }

    /** Without a secret any process is heard; with one, only a process that knows it. */
    @Test
    void who_was_not_invited_is_heard_only_where_there_is_no_secret() {
        for (var secret : List.of("", "secret")) {
            var board = new Threads.Board(2);
            var heard =
                    Threads.run(
                            2,
                            rank -> {
                                try (var group = group(rank, board, Map.of(), secret)) {
                                    boolean answer = Uninvited.isHeard(group.port());
                                    board.gather(rank, "asked");
                                    return answer;
                                }
                            });
            assertThat(heard).as("secret '%s'", secret).containsOnly(secret.isEmpty());
        }
    }

    @Test
    void a_peer_that_does_not_answer_is_named_after_the_stated_time() {
        var board = new Threads.Board(2);
        var found =
                Threads.run(
                        2,
                        rank -> {
                            try (var group =
                                    group(rank, board, Map.of(), "", Duration.ofMillis(1500))) {
                                var into = MemorySegment.ofArray(new byte[8]);
                                var told =
                                        rank == 1
                                                ? ""
                                                : refusal(() -> group.receive(1, into).await());
                                board.gather(rank, "done");
                                return told;
                            }
                        });
        assertThat(found.getFirst()).contains("rank 1 at localhost:", "rank 0", "1.5 s");
    }

    @Test
    void a_peer_that_dies_is_told_at_once() {
        var board = new Threads.Board(2);
        var told =
                Threads.run(
                        2,
                        rank -> {
                            try (var group = group(rank, board, Map.of(), "")) {
                                var bytes = MemorySegment.ofArray(new byte[8]);
                                if (rank == 1) {
                                    group.receive(0, bytes).await();
                                    return "";
                                }
                                group.send(1, bytes).await();
                                return refusal(() -> group.receive(1, bytes).await());
                            }
                        });
        assertThat(told.getFirst()).contains("rank 1 at localhost:", "closed");
    }

    /** The peer's connection closes before a message was sent over it in either direction. */
    @Test
    void a_peer_that_dies_before_it_spoke_is_told_at_once() {
        var board = new Threads.Board(2);
        var told =
                Threads.run(
                        2,
                        rank -> {
                            try (var group = group(rank, board, Map.of(), "")) {
                                board.gather(rank, "connected");
                                if (rank == 1) return "";
                                return refusal(
                                        () ->
                                                group.receive(1, MemorySegment.ofArray(new byte[8]))
                                                        .await());
                            }
                        });
        assertThat(told.getFirst()).contains("rank 1 at localhost:", "closed");
    }

    /** Transfers that were not waited for must not access memory after it is freed. */
    @Test
    void a_group_that_is_settled_lets_go_of_its_memory() {
        var board = new Threads.Board(2);
        Threads.run(
                2,
                rank -> {
                    try (var group = group(rank, board, Map.of(), "")) {
                        try (var arena = Arena.ofShared()) {
                            var memory = arena.allocate(1 << 20);
                            if (rank == 0) {
                                var come = group.receive(1, memory);
                                group.settle();
                                assertThat(refusal(come::await)).contains("rank 1", "closed");
                                assertThat(refusal(() -> group.receive(1, memory).await()))
                                        .contains("closed");
                            }
                        }
                        board.gather(rank, "given back");
                        if (rank == 1) {
                            var sent = group.send(0, MemorySegment.ofArray(new byte[1 << 20]));
                            assertThat(refusal(sent::await)).contains("rank 0", "closed");
                        }
                        return rank;
                    }
                });
    }

    @Test
    void a_group_in_which_all_went_well_goes_on_after_it_is_settled() {
        var sums =
                run(
                        2,
                        Map.of(),
                        "",
                        group -> {
                            var first = sum(group);
                            group.settle();
                            assertThat(sum(group)).isEqualTo(first);
                            return first;
                        });
        assertThat(sums.get(1)).isEqualTo(sums.get(0));
    }

    @Test
    void a_rank_that_cannot_join_keeps_no_port() throws InterruptedException {
        var port = new AtomicInteger();
        assertThatThrownBy(
                        () ->
                                new SparkGroup(
                                        0,
                                        Loopback.conf(),
                                        Optional.empty(),
                                        "localhost",
                                        Duration.ofSeconds(1),
                                        own -> {
                                            var words = own.getFirst().split(" ", -1);
                                            port.set(Integer.parseInt(words[1]));
                                            throw new IllegalStateException("the stage has ended");
                                        }))
                .hasMessageContaining("the stage has ended");
        assertThat(isRefusedWithin(Small.PATIENCE, port.get())).isTrue();
    }

    /**
     * The system frees a closed port when the selector next examines its channels, which may be
     * after the close has returned.
     */
    private static boolean isRefusedWithin(Duration patience, int port)
            throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < end) {
            try {
                new Socket("localhost", port).close();
            } catch (IOException e) {
                return true;
            }
            Thread.sleep(10);
        }
        return false;
    }

    private static String refusal(Runnable work) {
        try {
            work.run();
            return "";
        } catch (PeerException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
