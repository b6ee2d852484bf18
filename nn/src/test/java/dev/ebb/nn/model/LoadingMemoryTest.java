package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.DType;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.generate.Generator;
import dev.ebb.nn.generate.Sampling;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A checkpoint is never in memory twice: another JVM loads it with a heap for the model and two
 * thirds of it again, in addition to the JVM's own needs.
 */
class LoadingMemoryTest {

    /** Loads the given models, or generates text with them, one after the other. */
    static final class Load {
        private Load() {}

        public static void main(String[] words) throws IOException {
            for (int i = 1; i < words.length; i++) {
                if (words[0].equals("write")) write(Path.of(words[i]));
                else load(Path.of(words[i]));
            }
        }

        private static void load(Path folder) throws IOException {
            var model = Pretrained.load(folder);
            long bytes = Tensorwise.list(model).stream().mapToLong(Load::bytes).sum();
            System.out.println("loaded " + bytes);
        }

        /** Generates text with a model that is in memory once, outside the heap. */
        private static void write(Path folder) throws IOException {
            try (var file = Pretrained.open(folder, "");
                    var generator =
                            Generator.reading(
                                    file.blank(),
                                    file::read,
                                    1,
                                    8,
                                    Budget.unlimited(),
                                    new Cpu(1))) {
                var prompts = List.of(new int[] {1, 2});
                generator.generate(prompts, 2, Sampling.greedy(), new Seed(1));
                System.out.println("wrote with " + generator.promisedBytes());
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

    /** The output of a JVM with a heap of this many MiB for these models. */
    private static String told(int mebibytes, String does, Path... folders) throws Exception {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx" + mebibytes + "m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--add-modules=jdk.incubator.vector",
                                "-cp",
                                String.join(
                                        File.pathSeparator,
                                        place(DType.class),
                                        place(Cpu.class),
                                        place(Pretrained.class),
                                        place(Load.class)),
                                Load.class.getName(),
                                does));
        for (var folder : folders) command.add(folder.toString());
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(told).isZero();
        return told;
    }

    /** 28 MiB in f32; no tensor has a tenth of it. */
    private static AutoregressiveModel gpt() {
        return Gpt2.blank(Gpt2.Config.of(1000, 64, 384, 4, 4));
    }

    @Test
    void aHeapForOneAndTwoThirdsIsEnough(@TempDir Path folder) throws Exception {
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
        var told =
                told(
                        46,
                        "load",
                        written(folder.resolve("gpt"), gpt()),
                        written(folder.resolve("llama"), llama));
        var loaded = told.lines().filter(l -> l.startsWith("loaded ")).toList();
        assertThat(loaded).hasSize(2);
        for (var line : loaded)
            assertThat(Long.parseLong(line.substring(7))).isGreaterThan(28L << 20);
    }

    /** The weights go from the file into the program's memory, which is not on the heap. */
    @Test
    void aHeapWithoutRoomForTheModelIsEnoughToWrite(@TempDir Path folder) throws Exception {
        var told = told(26, "write", written(folder, gpt()));
        var wrote = told.lines().filter(l -> l.startsWith("wrote with ")).toList();
        assertThat(wrote).hasSize(1);
        assertThat(Long.parseLong(wrote.getFirst().substring(11))).isGreaterThan(28L << 20);
    }
}
