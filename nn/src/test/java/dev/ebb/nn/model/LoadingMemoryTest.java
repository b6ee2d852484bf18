package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A checkpoint is never twice in memory: another JVM loads it whose heap has room for the model and
 * two thirds of it again, with what the JVM itself needs.
 */
class LoadingMemoryTest {

    /** Loads the models that it is given, one after the other. */
    static final class Load {
        private Load() {}

        public static void main(String[] folders) throws IOException {
            for (var folder : folders) {
                var model = Pretrained.load(Path.of(folder));
                long bytes = Tensorwise.list(model).stream().mapToLong(Load::bytes).sum();
                System.out.println("loaded " + bytes);
            }
        }

        private static long bytes(Tensor t) {
            return t.type().bytes();
        }
    }

    private static Path written(Path folder, AutoregressiveModel model) throws IOException {
        Files.createDirectories(folder);
        var names = Pretrained.naming(model).orElseThrow();
        Safetensors.write(
                folder.resolve("model.safetensors"), Weights.named(model, names), Map.of());
        Json config = Pretrained.config(model);
        Files.writeString(folder.resolve("config.json"), config.toString());
        return folder;
    }

    private static String place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    @Test
    void aHeapForOneAndTwoThirdsIsEnough(@TempDir Path folder) throws Exception {
        // 28 MiB in f32, of which no tensor has a tenth
        var gpt = Gpt2.blank(Gpt2.Config.of(1000, 64, 384, 4, 4));
        var llama =
                Llama.blank(
                        new Llama.Config(
                                1000,
                                64,
                                384,
                                4,
                                4,
                                4,
                                96,
                                1024,
                                Rotary.of(1e4),
                                1e-5,
                                Llama.Variant.plain()));
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx46m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--add-modules=jdk.incubator.vector",
                                "-cp",
                                String.join(
                                        File.pathSeparator,
                                        place(DType.class),
                                        place(Pretrained.class),
                                        place(Load.class)),
                                Load.class.getName(),
                                written(folder.resolve("gpt"), gpt).toString(),
                                written(folder.resolve("llama"), llama).toString())
                        .redirectErrorStream(true)
                        .start();
        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(told).isZero();
        var loaded = told.lines().filter(l -> l.startsWith("loaded ")).toList();
        assertThat(loaded).hasSize(2);
        for (var line : loaded)
            assertThat(Long.parseLong(line.substring(7))).isGreaterThan(28L << 20);
    }
}
