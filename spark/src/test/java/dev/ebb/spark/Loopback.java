package dev.ebb.spark;

import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Ranks as threads of this process, each with a server and connections of its own on loopback. */
final class Loopback {
    private Loopback() {}

    static TransportConf conf() {
        return new TransportConf(
                "ebb", new MapConfigProvider(new HashMap<>(Map.of("spark.ebb.io.mode", "NIO"))));
    }

    static <T> List<T> run(int ranks, Function<SparkGroup, T> body) {
        var board = new Threads.Board(ranks);
        return Threads.run(
                ranks,
                rank -> {
                    try (var group =
                            new SparkGroup(
                                    rank,
                                    conf(),
                                    Optional.empty(),
                                    "localhost",
                                    Duration.ofMinutes(1),
                                    own -> board.gather(rank, own.getFirst()))) {
                        var result = body.apply(group);
                        board.gather(rank, "done");
                        return result;
                    }
                });
    }
}
