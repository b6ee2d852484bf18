package dev.ebb.nn.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

final class AtomicFileTest {
    @TempDir Path folder;

    @Test
    void aFileThatCannotBeFinishedLeavesTheOldOne() throws IOException {
        var file = folder.resolve("kept");
        AtomicFile.write(file, out -> out.write("old".getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(
                        () ->
                                AtomicFile.write(
                                        file,
                                        out -> {
                                            out.write(new byte[1 << 20]);
                                            throw new IOException("No space left on device");
                                        }))
                .hasMessageContaining("No space left");
        assertThat(Files.readString(file)).isEqualTo("old");
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactly(file);
        }
    }

    @Test
    void aNewFileReplacesTheOldOne() throws IOException {
        var file = folder.resolve("replaced");
        AtomicFile.write(file, out -> out.write(1));
        AtomicFile.write(file, out -> out.write(2));
        assertThat(Files.readAllBytes(file)).containsExactly(2);
    }
}
