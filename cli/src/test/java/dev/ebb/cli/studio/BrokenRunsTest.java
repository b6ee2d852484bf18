package dev.ebb.cli.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.Changes;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The folder of a run whose files are cut or changed at random is shown, or refused with its name.
 */
final class BrokenRunsTest {
    private static final int ROUNDS = 100;
    private static final String SETTINGS = "{\"batch\": 2, \"context\": 8, \"seed\": 7}";
    private static final String RUN = "{\"steps\": 2, \"budget\": \"4MiB\"}";
    private static final String FIGURES =
            "{\"steps\": 2, \"promised_peak_bytes\": 9, \"weights_digest\": \"a\"}";

    @TempDir Path folder;
    private final Changes changes = new Changes(new Random(9));

    private Path write(String settings, String run) throws IOException {
        var losses = Array.of(3.0, 2.5);
        var tensors = List.of(new LazyTensor("losses", losses.type(), () -> losses));
        var notes = Map.of("format", "ebb training checkpoint 1", "settings", settings, "run", run);
        var file = folder.resolve(StoredRun.CHECKPOINT);
        try (var out = Files.newOutputStream(file)) {
            Safetensors.write(out, tensors, notes);
        }
        return file;
    }

    private boolean isRefused() throws IOException {
        try {
            var run = StoredRun.read(folder);
            run.json();
            run.series();
            return false;
        } catch (FileFormatException e) {
            assertThat(e).hasMessageContaining(folder.resolve(StoredRun.CHECKPOINT).toString());
            return true;
        }
    }

    @Test
    void checkpoints() throws IOException {
        var file = write(SETTINGS, RUN);
        assertThat(isRefused()).isFalse();
        var good = Files.readAllBytes(file);
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Files.write(file, changes.of(good));
            if (isRefused()) refused++;
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    @Test
    void notes() throws IOException {
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            write(changes.of(SETTINGS), changes.of(RUN));
            if (isRefused()) refused++;
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    /** Figures that cannot be read are left out; the run is shown from its checkpoint. */
    @Test
    void figures() throws IOException {
        write(SETTINGS, RUN);
        var file = folder.resolve("figures.json");
        Files.writeString(file, FIGURES);
        assertThat(StoredRun.read(folder).json().at("promised")).isPresent();
        for (int i = 0; i < ROUNDS; i++) {
            Files.write(file, changes.of(FIGURES).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(isRefused()).isFalse();
        }
    }
}
