package dev.ebb.spark;

import dev.ebb.cpu.Cpu;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.parallel.LocalGroup;
import dev.ebb.nn.parallel.Partition;
import dev.ebb.nn.parallel.Rank;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A small version of the main job's GPT, and the result of one machine that accumulates. */
final class Small {
    static final int BATCH = 4;
    static final int SHARDS = 4;
    static final int CONTEXT = 8;
    static final int STEPS = 30;

    /** The time limit between ranks: long, so that a busy machine does not fail a test. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    static final GptRecipe GPT = new GptRecipe(1, 8, 2, CONTEXT, 1, STEPS);
    private static final Corpus CORPUS =
            Corpus.of("the forward pass floods memory; the backward pass lets it ebb. ".repeat(9));

    private Small() {}

    /** Passages, each batch after a pause in which an executor can be killed. */
    record Passages(long pauseMillis) implements Batches {
        @Override
        public List<Tensor> at(long step) {
            pause(pauseMillis);
            var batch = CORPUS.batch(BATCH, CONTEXT, new Seed(9), step);
            return List.of(batch.ids(), batch.targets());
        }
    }

    /**
     * Passages whose ranks write the number of their process into a folder, so that it can be
     * killed.
     */
    record Marked(String folder, Batches batches) implements Batches {
        @Override
        public List<Tensor> at(long step) {
            int rank = TaskContext.get().partitionId();
            try {
                var file = Path.of(folder, "rank-" + rank);
                Files.writeString(file, String.valueOf(ProcessHandle.current().pid()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return batches.at(step);
        }

        /** Kills the process of a rank as kill -9 does; returns whether it existed. */
        static boolean kill(Path folder, int rank) throws IOException {
            var file = folder.resolve("rank-" + rank);
            if (!Files.exists(file)) return false;
            var text = Files.readString(file);
            Files.deleteIfExists(file);
            if (text.isEmpty()) return false;
            var process = ProcessHandle.of(Long.parseLong(text));
            return process.isPresent() && process.get().destroyForcibly();
        }
    }

    /**
     * Passages of which some wait for a file in a folder, so that an event during a run happens
     * before the run ends, however slow the machine is.
     *
     * @param gates the file for which the batch of a step waits
     */
    record Gated(String folder, Map<Long, String> gates, Batches batches) implements Batches {
        Gated {
            gates = Map.copyOf(gates);
        }

        @Override
        public List<Tensor> at(long step) {
            var gate = gates.get(step);
            while (gate != null && !Files.exists(Path.of(folder, gate))) {
                if (TaskContext.get().isInterrupted())
                    throw new TaskKilledException("the stage has ended");
                pause(20);
            }
            return batches.at(step);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The digest of one machine that accumulates, without Spark; the same for all tests. */
    static String accumulated() {
        return Accumulated.DIGEST;
    }

    private static final class Accumulated {
        static final String DIGEST = digest();
    }

    private static String digest() {
        var cut = new Partition(SHARDS, 1);
        var group = LocalGroup.of(1, Duration.ofSeconds(1)).getFirst();
        var batches = new Passages(0);
        try (var device = new Cpu(1);
                var rank =
                        new Rank<>(
                                GPT, cut, group, whole(batches, 0), Budget.unlimited(), device)) {
            for (int i = 0; i < STEPS; i++) rank.step(whole(batches, i));
            return rank.digest();
        }
    }

    private static List<Tensor> whole(Batches batches, long step) {
        var rows = new ArrayList<Tensor>();
        for (var t : batches.at(step)) rows.add((Array) t);
        return rows;
    }
}
