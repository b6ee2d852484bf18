package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class FreeMemoryTest {
    @TempDir Path folder;

    private long group(String limit, String used) throws IOException {
        Files.writeString(folder.resolve("memory.max"), limit + "\n");
        Files.writeString(folder.resolve("memory.current"), used + "\n");
        return FreeMemory.ofGroup(folder);
    }

    @Test
    void aControlGroupBoundsIt() throws IOException {
        assertThat(FreeMemory.ofGroup(folder)).isEqualTo(Long.MAX_VALUE);
        assertThat(group("max", "12345")).isEqualTo(Long.MAX_VALUE);
        assertThat(group("1000", "300")).isEqualTo(700);
        assertThat(group("1000", "1300")).isZero();
        assertThat(group("much", "300")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void thereIsSome() {
        assertThat(FreeMemory.bytes()).isGreaterThan(1 << 20);
    }
}
