package dev.ebb.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.ebb.Tensorwise;
import dev.ebb.cli.Changes;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.LoraAdapters;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Checkpoints of fine-tuning that are cut or changed at random are refused with the file's name.
 */
final class BrokenTuningTest {
    private static final int ROUNDS = 100;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final TuningSettings SETTINGS =
            new TuningSettings(
                    "model",
                    "4MiB",
                    2,
                    4,
                    List.of("c_attn"),
                    8,
                    2,
                    16,
                    6,
                    0.01,
                    0.2,
                    3,
                    50,
                    1,
                    TuningText.Format.PLAIN);

    @TempDir Path folder;
    private final Changes changes = new Changes(new Random(8));

    private TuningState.Kept written() throws IOException {
        var model = Gpt2.of(Gpt2.Config.of(11, 8, 16, 1, 4), new Seed(1));
        var adapters = LoraAdapters.of(model, SETTINGS.lora(), new Seed(2));
        var kept = new TuningState.Kept(adapters, SETTINGS.optimizer().start(adapters));
        var tensors = Tensorwise.list(kept);
        TuningCheckpoint.write(
                folder,
                kept,
                i -> (Array) tensors.get(i),
                SETTINGS,
                "text",
                "model",
                List.of(3.0, 2.5));
        var begun = TuningCheckpoint.read(folder);
        assertThat(begun.settings()).isEqualTo(SETTINGS);
        assertThat(begun.losses()).containsExactly(3.0, 2.5);
        return kept;
    }

    /**
     * Whether a folder's checkpoint is refused; asserts that the allocated memory stays in
     * proportion.
     */
    private static boolean isRefused(Path folder, TuningState.Kept like) throws IOException {
        var file = folder.resolve(TuningCheckpoint.FILE);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            TuningCheckpoint.read(folder);
            TuningCheckpoint.restore(folder, like, (place, tensor) -> {});
            return false;
        } catch (FileFormatException e) {
            assertThat(e).hasMessageContaining(file.toString());
            return true;
        } finally {
            assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
                    .isLessThan((4 << 20) + 400 * Files.size(file));
        }
    }

    private static void write(Path folder, List<LazyTensor> tensors, Map<String, String> notes)
            throws IOException {
        try (var out = Files.newOutputStream(folder.resolve(TuningCheckpoint.FILE))) {
            Safetensors.write(out, tensors, notes);
        }
    }

    @Test
    void everyBitOfAFileCounts() throws IOException {
        var like = written();
        var file = folder.resolve(TuningCheckpoint.FILE);
        var good = Files.readAllBytes(file);
        for (int i = 0; i < ROUNDS; i++) {
            Files.write(file, changes.of(good));
            assertThat(isRefused(folder, like)).as("round %d", i).isTrue();
        }
    }

    /** Settings with changed contents and a correct digest. */
    @Test
    void settingsAreReadOrRefused() throws IOException {
        var like = written();
        var other = Files.createDirectories(folder.resolve("other"));
        int refused = 0;
        try (var good = Safetensors.open(folder.resolve(TuningCheckpoint.FILE))) {
            for (int i = 0; i < ROUNDS; i++) {
                var notes = new LinkedHashMap<>(good.metadata());
                notes.compute("settings", (_, text) -> changes.of(String.valueOf(text)));
                notes.remove("digest");
                var lines = notes.entrySet().stream().map(n -> n + "").toList();
                notes.put("digest", Weights.digest(good.supplies(), lines));
                write(other, good.supplies(), notes);
                if (isRefused(other, like)) refused++;
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    /** Tensors of another model, or none. */
    @Test
    void tensorsOfAnotherModelAreRefused() throws IOException {
        var like = written();
        var file = folder.resolve(TuningCheckpoint.FILE);
        var other = Files.createDirectories(folder.resolve("other"));
        try (var good = Safetensors.open(file)) {
            var notes = new LinkedHashMap<>(good.metadata());
            notes.remove("digest");
            var lines = notes.entrySet().stream().map(n -> n + "").toList();
            for (int i = 0; i < good.supplies().size(); i++) {
                var few = new ArrayList<>(good.supplies());
                few.remove(i);
                notes.put("digest", Weights.digest(few, lines));
                write(other, few, notes);
                assertThat(isRefused(other, like)).as("without tensor %d", i).isTrue();
            }
        }
    }
}
