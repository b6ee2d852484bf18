package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.ebb.Tensorwise;
import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;

/**
 * Graphs and checkpoints that are cut or changed at random are read, or refused with the file's
 * name.
 */
final class BrokenFilesTest {
    private static final int ROUNDS = 150;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir Path folder;
    private final Random random = new Random(4);
    private final Changes changes = new Changes(random);

    private interface Reading {
        void read() throws IOException;
    }

    /** Whether a changed file is refused; asserts that the allocated memory stays in proportion. */
    private boolean isRefused(Path file, Reading reading) throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            reading.read();
            return false;
        } catch (FileFormatException | Refusal e) {
            assertThat(e).hasMessageContaining(file.toString());
            return true;
        } finally {
            assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
                    .isLessThan((8 << 20) + 400 * Files.size(file));
        }
    }

    @Test
    void graphs() throws IOException {
        var good =
                "{\"nodes\": [{\"id\": 0, \"cost_cpu\": 1, \"cost_ram\": 4, \"backward\": false},"
                        + " {\"id\": 1, \"cost_cpu\": 2.5, \"cost_ram\": 8, \"name\": \"b\"}],"
                        + " \"links\": [{\"source\": 0, \"target\": 1}],"
                        + " \"graph\": {\"order\": [0, 1]}}";
        var file = folder.resolve("graph.json");
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Files.write(file, changes.of(good).getBytes(StandardCharsets.ISO_8859_1));
            if (isRefused(file, () -> BareGraph.read(file).problem())) refused++;
        }
        assertThat(refused).isGreaterThan(ROUNDS / 4);
    }

    private Path checkpoint() throws IOException {
        var settings = new TrainingSettings(2, 4, 7, 10, 1e-3);
        AutoregressiveModel model = Gpt2.of(Gpt2.Config.of(11, 8, 16, 1, 4), new Seed(1));
        var state = new TrainingState(model, settings.optimizer().start(model));
        var tensors = Tensorwise.list(state);
        var file = folder.resolve("checkpoint.safetensors");
        Checkpoint.writer(
                        state,
                        place -> (Array) tensors.get(place),
                        List.of(3.0, 2.5),
                        settings,
                        RunOptions.none(),
                        "text")
                .write(file);
        assertThat(Checkpoint.read(file).step()).isEqualTo(2);
        return file;
    }

    @Test
    void checkpoints() throws IOException {
        var file = checkpoint();
        var good = Files.readAllBytes(file);
        for (int i = 0; i < ROUNDS / 2; i++) {
            Files.write(file, changes.of(good));
            assertThat(isRefused(file, () -> Checkpoint.read(file))).isTrue();
        }
    }

    /** Notes with changed contents and a correct digest. */
    @Test
    void notesOfCheckpoints() throws IOException {
        var file = checkpoint();
        try (var good = Safetensors.open(file)) {
            for (int i = 0; i < ROUNDS / 2; i++) {
                var notes = new LinkedHashMap<>(good.metadata());
                var key = List.of("settings", "run", "config").get(i % 3);
                notes.compute(key, (_, note) -> changes.of(String.valueOf(note)));
                notes.remove("digest");
                var lines = notes.entrySet().stream().map(n -> n + "").toList();
                notes.put("digest", Weights.digest(good.supplies(), lines));
                var other = folder.resolve("other.safetensors");
                Safetensors.write(other, good.supplies(), notes);
                isRefused(other, () -> Checkpoint.read(other));
            }
        }
    }
}
