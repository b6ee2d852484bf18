package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.cuda.recipe.Action;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The generated text of every kernel form equals its golden file. After an intended change, the new
 * text is under {@code target/golden}, to be reviewed and copied over the old one.
 */
class GoldenTextTest {
    private static final Path KEPT =
            Path.of("src", "test", "resources", "dev", "ebb", "cuda", "golden");
    private static final Path MADE = Path.of("target", "golden");

    @Test
    void every_form_has_the_text_of_its_file() throws IOException {
        Files.createDirectories(MADE);
        var recipes = Golden.recipes();
        for (var entry : recipes.entrySet())
            Files.writeString(MADE.resolve(entry.getKey() + ".cu"), entry.getValue().toString());
        for (var entry : recipes.entrySet()) {
            var name = entry.getKey() + ".cu";
            var text = entry.getValue().toString();
            var kept = KEPT.resolve(name);
            assertThat(kept).as("the text of %s, made in %s", name, MADE).exists();
            assertThat(text)
                    .as("%s; if the change is meant, copy it from %s", name, MADE)
                    .isEqualTo(Files.readString(kept));
        }
        try (var files = Files.list(KEPT)) {
            assertThat(files.map(f -> f.getFileName().toString().replace(".cu", "")))
                    .containsExactlyInAnyOrderElementsOf(Golden.recipes().keySet());
        }
    }

    @Test
    void the_compiler_takes_every_text(@TempDir Path folder) throws Exception {
        assumeTrue(
                InstalledPrograms.has("nvcc"),
                "no nvcc on the PATH: kernels are not compiled for a card");
        var text = new StringBuilder(Prelude.TEXT);
        int number = 0;
        for (var recipe : Golden.recipes().values()) {
            for (var action : recipe.actions()) {
                var step = action instanceof Action.Unless u ? u.first() : action;
                if (!(step instanceof Action.Launch launch)) continue;
                text.append("namespace k").append(number++).append(" {\n");
                text.append(launch.text().replace("extern \"C\" ", "")).append("}\n");
            }
        }
        var source = folder.resolve("kernels.cu");
        Files.writeString(source, text);
        var build =
                new ProcessBuilder(
                                "nvcc",
                                "-gencode=arch=compute_90a,code=sm_90a",
                                "-std=c++17",
                                "-fmad=false",
                                "-cubin",
                                "-o",
                                folder.resolve("kernels.cubin").toString(),
                                source.toString())
                        .redirectErrorStream(true)
                        .start();
        var log = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(build.waitFor()).as(log).isZero();
    }
}
