package dev.ebb.spark;

import dev.ebb.nn.parallel.Group;

import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Ranks as threads of this process, each with a server and connections of its own on loopback. */
final class Loopback {
    private Loopback() {}

    static TransportConf conf() {
        return new TransportConf(
                "ebb", new MapConfigProvider(new HashMap<>(Map.of("spark.ebb.io.mode", "NIO"))));
    }

    /** A function by which each of {@code ranks} ranks joins the others; all must call it. */
    static IntFunction<Group> joining(int ranks) {
        var board = new Threads.Board(ranks);
        return rank -> join(rank, board);
    }

    private static SparkGroup join(int rank, Threads.Board board) {
        return new SparkGroup(
                rank,
                conf(),
                Optional.empty(),
                "localhost",
                Duration.ofMinutes(1),
                own -> board.gather(rank, own.getFirst()));
    }

    static <T> List<T> run(int ranks, Function<SparkGroup, T> body) {
        var board = new Threads.Board(ranks);
        return Threads.run(
                ranks,
                rank -> {
                    try (var group = join(rank, board)) {
                        var result = body.apply(group);
                        board.gather(rank, "done");
                        return result;
                    }
                });
    }
}
