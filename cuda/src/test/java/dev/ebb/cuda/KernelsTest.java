package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.cuda.recipe.Action;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Compiling several kernels together and caching machine code, with a compiler that only records
 * its calls.
 */
class KernelsTest {
    @TempDir private Path folder;

    private final List<String> compiled = Collections.synchronizedList(new ArrayList<>());
    private final List<String> found = new ArrayList<>();
    private final List<Integer> shared = new ArrayList<>();

    private final class Notes implements Kernels.Loader {
        @Override
        public long module(MemorySegment code) {
            return 1;
        }

        @Override
        public long function(long module, String name) {
            found.add(name);
            return found.size();
        }

        @Override
        public void allowShared(long function, int bytes) {
            shared.add(bytes);
        }
    }

    private Kernels kernels(Path cache, String chip) {
        return new Kernels(
                (name, text) -> {
                    if (text.contains("wrong")) throw new CudaException(name + " is refused");
                    compiled.add(text);
                    return text.getBytes(StandardCharsets.UTF_8);
                },
                new Notes(),
                cache,
                List.of(chip));
    }

    private static Action.Launch launch(String body, int sharedBytes) {
        var text =
                "extern \"C\" __global__ void __launch_bounds__(32) map(void* p0) { %s }\n"
                        .formatted(body);
        return new Action.Launch("map", text, 1, 32, sharedBytes, List.of());
    }

    private static List<Action.Launch> launches(int count) {
        return IntStream.range(0, count).mapToObj(i -> launch("f(" + i + ");", 0)).toList();
    }

    @Test
    void every_text_is_compiled_once_and_few_units_hold_them() {
        var kernels = kernels(folder, "sm_90");
        kernels.compile(launches(16));
        kernels.compile(launches(16));
        assertThat(kernels.count()).isEqualTo(16);
        assertThat(compiled).hasSizeLessThanOrEqualTo(4);
        assertThat(found).doesNotHaveDuplicates().allMatch(name -> name.startsWith("map_"));
        for (var name : found)
            assertThat(compiled).anyMatch(text -> text.contains(" " + name + "(void* p0)"));
    }

    @Test
    void what_was_compiled_before_is_read_from_the_disk() {
        kernels(folder, "sm_90").compile(launches(10));
        int before = compiled.size();
        var again = kernels(folder, "sm_90");
        again.compile(launches(10));
        assertThat(again.count()).isEqualTo(10);
        assertThat(compiled).hasSize(before);
        kernels(folder, "sm_80").compile(launches(1));
        assertThat(compiled).hasSize(before + 1);
    }

    @Test
    void a_damaged_file_is_compiled_anew() throws IOException {
        kernels(folder, "sm_90").compile(launches(1));
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                var bytes = Files.readAllBytes(file);
                bytes[bytes.length / 2] ^= 1;
                Files.write(file, bytes);
            }
        }
        kernels(folder, "sm_90").compile(launches(1));
        assertThat(compiled).hasSize(2);
    }

    @Test
    void a_folder_that_cannot_be_written_costs_only_time() throws IOException {
        var file = Files.createFile(folder.resolve("file"));
        var kernels = kernels(file.resolve("inside"), "sm_90");
        kernels.compile(launches(3));
        assertThat(kernels.count()).isEqualTo(3);
    }

    @Test
    void the_kernel_at_fault_is_named() {
        var all = new ArrayList<>(launches(3));
        all.add(launch("wrong", 0));
        assertThatThrownBy(() -> kernels(folder, "sm_90").compile(all))
                .hasMessage("map is refused");
    }

    @Test
    void much_shared_memory_is_asked_for() {
        kernels(folder, "sm_90").compile(List.of(launch("g();", 100_000), launch("h();", 1000)));
        assertThat(shared).containsExactly(100_000);
    }

    @Test
    void the_folder_is_the_users() {
        assertThat(CodeCache.folder(Map.of(), "/home/ada"))
                .isEqualTo(Path.of("/home/ada/.cache/ebb/cuda"));
        assertThat(CodeCache.folder(Map.of("XDG_CACHE_HOME", "/var/ada"), "/home/ada"))
                .isEqualTo(Path.of("/var/ada/ebb/cuda"));
    }
}
