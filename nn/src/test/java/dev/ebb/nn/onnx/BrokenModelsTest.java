package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.body;
import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.longs;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.model.Mutations;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A model with functions, bodies and weights in another file, truncated and changed at random, is
 * read or refused with its name, and the memory allocated stays in proportion to the file.
 */
final class BrokenModelsTest {
    private static final int ROUNDS = 400;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir Path folder;

    private static Wire entry(String key, String value) {
        return new Wire().text(1, key).text(2, value);
    }

    private static byte[] model() {
        var weight =
                new Wire()
                        .number(1, 3)
                        .number(2, 1)
                        .text(8, "w")
                        .number(14, 1)
                        .inside(13, entry("location", "w.bin"))
                        .inside(13, entry("offset", "4"))
                        .inside(13, entry("length", "12"));
        var chosen =
                node(
                        "If",
                        "yes",
                        "t",
                        body("then_branch", graph("", "p", List.of(node("Neg", "a", "p")))),
                        body("else_branch", graph("", "q", List.of(node("Abs", "a", "q")))));
        var own = new Wire().text(1, "axis").text(21, "where").number(20, 2);
        var function =
                new Wire()
                        .text(1, "F")
                        .text(10, "own")
                        .text(4, "a")
                        .text(4, "yes")
                        .text(5, "b")
                        .text(6, "where")
                        .inside(7, chosen)
                        .inside(7, node("Softmax", "t", "b", own))
                        .inside(9, new Wire().number(2, 17))
                        .inside(11, whole("other", 3));
        var calls =
                List.of(
                        node("Add", "x w", "y"),
                        node("F", "y yes", "z", whole("where", -1)).text(7, "own"),
                        node("Reshape", "z shape", "r"));
        var graph =
                graph(
                        "x",
                        "r",
                        calls,
                        weight,
                        Wire.truth("yes", true),
                        longs("shape", List.of(2), 3, 1));
        return new Wire()
                .inside(25, function)
                .inside(7, graph)
                .inside(8, new Wire().number(2, 17))
                .toBytes();
    }

    /** Memory that loading allocates only once, such as the table of ops, does not count. */
    @BeforeEach
    void loadedOnce() throws IOException {
        Files.write(folder.resolve("w.bin"), new byte[16]);
        OnnxModel.load(Files.write(folder.resolve("model.onnx"), model()));
    }

    private boolean isRefused(Path file) throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            OnnxModel.load(file);
            return false;
        } catch (FileFormatException e) {
            assertThat(e).hasMessageContaining(folder.toString());
            return true;
        } finally {
            assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
                    .isLessThan((8 << 20) + 400 * Files.size(file));
        }
    }

    @Test
    void modelsAreReadOrRefused() throws IOException {
        var good = model();
        var file = folder.resolve("model.onnx");
        assertThat(isRefused(Files.write(file, good))).isFalse();
        var mutations = new Mutations(good, 3);
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Files.write(file, mutations.next());
            if (isRefused(file)) refused++;
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    @Test
    void weightsThatAreCutAreRefused() throws IOException {
        var file = folder.resolve("model.onnx");
        for (int bytes = 0; bytes < 16; bytes++) {
            Files.write(folder.resolve("w.bin"), new byte[bytes]);
            assertThat(isRefused(file)).isTrue();
        }
    }
}
