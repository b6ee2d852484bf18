package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Weights in files next to the model. */
class ExternalDataTest {
    @TempDir Path root;
    private Path folder;

    @BeforeEach
    void files() throws IOException {
        folder = Files.createDirectories(root.resolve("model"));
        Files.createDirectories(folder.resolve("data"));
        for (var file :
                List.of(folder.resolve("w.bin"), folder.resolve("data/w"), root.resolve("w")))
            Files.write(file, bytes());
    }

    /** Four bytes that are no weights, then 1, 2 and 3. */
    private static byte[] bytes() {
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(7)
                .putFloat(1)
                .putFloat(2)
                .putFloat(3)
                .array();
    }

    private static Wire entry(String key, String value) {
        return new Wire().text(1, key).text(2, value);
    }

    private OnnxModel model(String... told) throws IOException {
        var tensor = new Wire().number(1, 3).number(2, 1).text(8, "w").number(14, 1);
        for (int i = 0; i < told.length; i += 2) tensor.inside(13, entry(told[i], told[i + 1]));
        var bytes = Wire.model(17, graph("x", "y", List.of(node("Add", "x w", "y")), tensor));
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), bytes));
    }

    private static void gives(OnnxModel model) {
        assertThat(model.apply(List.of(Array.of(10f, 20, 30))).getFirst().toFloats())
                .containsExactly(11, 22, 33);
    }

    @Test
    void weightsAreReadFromBesideTheModel() throws IOException {
        gives(model("location", "w.bin", "offset", "4", "length", "12"));
        gives(model("location", "w.bin", "offset", "4"));
        gives(model("location", "./data/../data/w", "offset", "4", "checksum", "x"));
    }

    private void refused(String says, String... told) {
        assertThatThrownBy(() -> model(told))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining(folder.resolve("model.onnx") + ": the tensor w ")
                .hasMessageContaining(says);
    }

    @Test
    void otherFoldersAreNotReached() throws IOException {
        refused("not a file in the model's folder", "location", "../w", "offset", "4");
        refused("not a file in", "location", root.resolve("w").toString(), "offset", "4");
        refused("not a file in", "location", folder.resolve("w.bin").toString(), "offset", "4");
        refused("not a file in", "location", "", "offset", "4");
        refused("not a file in", "offset", "4");
        refused("not a file in", "location", "a\0b");
        refused("missing or cannot be read", "location", "none.bin");
        Files.createSymbolicLink(folder.resolve("link"), root.resolve("w"));
        refused("not a file in", "location", "link", "offset", "4");
        refused("cannot be read", "location", "data", "offset", "0", "length", "12");
    }

    /** As in a download cache: every name is a link into one folder. */
    @Test
    void linksLeadWhereTheModelsOwnLinkLeads() throws IOException {
        model("location", "w.bin", "offset", "4");
        var names = Files.createDirectories(root.resolve("names"));
        Files.createSymbolicLink(names.resolve("model.onnx"), folder.resolve("model.onnx"));
        Files.createSymbolicLink(names.resolve("w.bin"), folder.resolve("w.bin"));
        gives(OnnxModel.load(names.resolve("model.onnx")));
    }

    @Test
    void sizesAreChecked() {
        refused("which has 16", "location", "w.bin", "offset", "8", "length", "12");
        refused(
                "which has 16",
                "location",
                "w.bin",
                "offset",
                "9223372036854775807",
                "length",
                "12");
        refused("its type takes 12", "location", "w.bin", "length", "16");
        refused("its type takes 12", "location", "w.bin");
        refused("no size", "location", "w.bin", "offset", "-4");
        refused("no size", "location", "w.bin", "offset", "4.5");
    }
}
