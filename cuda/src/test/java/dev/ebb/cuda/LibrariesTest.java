package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.cuda.driver.Libraries;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class LibrariesTest {
    @Test
    void folders_come_from_the_user_then_the_environment_then_python(@TempDir Path home)
            throws IOException {
        var mine = Files.createDirectories(home.resolve("mine"));
        var toolkit = Files.createDirectories(home.resolve("toolkit").resolve("lib64"));
        var site = home.resolve("venv/lib/python3.12/site-packages/nvidia/cublas/lib");
        Files.createDirectories(site);
        var libraries =
                new Libraries(
                        List.of(mine),
                        Map.of(
                                "CUDA_HOME", home.resolve("toolkit").toString(),
                                "VIRTUAL_ENV", home.resolve("venv").toString()));
        var folders = libraries.folders();
        assertThat(folders).startsWith(mine, toolkit).contains(site);
    }

    @Test
    void a_file_that_is_no_library_is_refused_by_name(@TempDir Path home) throws IOException {
        Files.writeString(home.resolve("libcublasLt.so.13"), "not a library");
        var libraries = new Libraries(List.of(home), Map.of());
        try (var arena = Arena.ofConfined()) {
            libraries.open(Libraries.Which.BLAS, arena);
        } catch (CudaException e) {
            assertThat(e)
                    .hasMessageContaining("libcublasLt.so.13 is there but cannot be loaded")
                    .hasMessageContaining("pip install nvidia-cublas");
        }
    }

    @Test
    void what_is_missing_is_said_in_one_sentence() {
        var libraries = new Libraries(List.of(), Map.of());
        try (var arena = Arena.ofConfined()) {
            // if the driver is installed, nothing is refused
            if (Files.exists(Path.of("/dev/nvidiactl"))) return;
            assertThatThrownBy(() -> libraries.open(Libraries.Which.DRIVER, arena))
                    .isInstanceOf(CudaException.class)
                    .hasMessageContaining("no libcuda.so.1 or libcuda.so")
                    .hasMessageContaining("install the NVIDIA driver");
        }
    }
}
