package dev.ebb.nn.train;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Dataset;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.model.Mutations;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Checkpoints of a trainer, truncated and changed at random, are refused with the file's name, and
 * the memory allocated stays in proportion to the file.
 */
final class BrokenCheckpointsTest {
    private static final int ROUNDS = 60;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir Path folder;

    private Trainer<Mlp, Network.None> trainer() {
        var rows = Dataset.of(Array.of(Shape.of(6, 2), new float[12]), Array.of(0L, 1, 0, 1, 0, 1));
        return Trainer.of(
                        Mlp.of(List.of(2, 3, 2), Activation.RELU, new Seed(1)), Loss.crossEntropy())
                .on(rows, 2)
                .validating(rows, Metric.accuracy())
                .epochs(2)
                .computingOn(new Cpu(1))
                .checkpoints(folder, 1)
                .stoppingWhen(report -> report.step() == 4);
    }

    /** Whether a file is refused. */
    private static boolean isRefused(
            Path file,
            TrainerSettings<Mlp, Network.None> settings,
            TrainingPrograms<Mlp, Network.None> programs)
            throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            TrainingCheckpoint.read(file, settings, programs);
            return false;
        } catch (FileFormatException e) {
            assertThat(e).hasMessageContaining(file.toString());
            return true;
        } finally {
            assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
                    .isLessThan((4 << 20) + 400 * Files.size(file));
        }
    }

    @Test
    void areReadOrRefused() throws IOException {
        trainer().train();
        var file = TrainingCheckpoint.file(folder);
        var settings = trainer().settings;
        try (var programs = TrainingPrograms.of(settings)) {
            var at = TrainingCheckpoint.read(file, settings, programs);
            assertThat(at.step()).isEqualTo(4);
            assertThat(at.history().getFirst().validation()).containsOnlyKeys("loss", "accuracy");
            positions(file, settings, programs);
            everyBit(file, settings, programs);
        }
    }

    private static void everyBit(
            Path file,
            TrainerSettings<Mlp, Network.None> settings,
            TrainingPrograms<Mlp, Network.None> programs)
            throws IOException {
        var good = Files.readAllBytes(file);
        var mutations = new Mutations(good, 5);
        for (int i = 0; i < ROUNDS; i++) {
            var broken = mutations.next();
            if (Arrays.equals(broken, good)) continue;
            Files.write(file, broken);
            assertThat(isRefused(file, settings, programs)).as("round %d", i).isTrue();
        }
    }

    /** Positions with wrong content but the right digest. */
    private static void positions(
            Path file,
            TrainerSettings<Mlp, Network.None> settings,
            TrainingPrograms<Mlp, Network.None> programs)
            throws IOException {
        var other = file.resolveSibling("other.safetensors");
        int refused = 0;
        try (var good = Safetensors.open(file)) {
            var position = String.valueOf(good.metadata().get("position"));
            var mutations = new Mutations(position.getBytes(StandardCharsets.UTF_8), 6);
            for (int i = 0; i < ROUNDS; i++) {
                var notes = new LinkedHashMap<>(good.metadata());
                notes.put("position", new String(mutations.next(), StandardCharsets.ISO_8859_1));
                var lines =
                        List.of("format", "settings", "optimizer", "position").stream()
                                .map(key -> key + "=" + notes.get(key))
                                .toList();
                notes.put("digest", Weights.digest(good.supplies(), lines));
                try (var out = Files.newOutputStream(other)) {
                    Safetensors.write(out, good.supplies(), notes);
                }
                if (isRefused(other, settings, programs)) refused++;
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }
}
