package dev.ebb.nn.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

final class SafetensorsTest {
    @TempDir Path folder;

    private Path written() throws IOException {
        var file = folder.resolve("all.safetensors");
        var tensors = new LinkedHashMap<String, Array>();
        tensors.put("a", Array.of(Shape.of(2, 3), 1f, 2f, 3f, 4f, 5f, 6f));
        tensors.put("empty", Array.of(Type.of(DType.F32, 0, 4)));
        for (var dtype : DType.values()) {
            if (dtype != DType.BIT)
                tensors.put("of " + dtype, Array.of(Type.of(dtype, 3), 1, 0, 1));
        }
        tensors.put("scalar", Array.scalar(7L));
        Safetensors.write(file, tensors, Map.of("step", "12"));
        return file;
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        try (var file = Safetensors.open(written())) {
            assertThat(file.metadata()).containsExactly(Map.entry("step", "12"));
            assertThat(file.read("a").toFloats()).containsExactly(1, 2, 3, 4, 5, 6);
            assertThat(file.read("empty").shape()).isEqualTo(Shape.of(0, 4));
            assertThat(file.read("of bf16").type()).isEqualTo(Type.of(DType.BF16, 3));
            assertThat(file.read("of bool").toDoubles()).containsExactly(1, 0, 1);
            assertThat(file.read("scalar").item()).isEqualTo(7);
            assertThat(file.read("a", Type.of(DType.F64, 2, 3)).dtype()).isEqualTo(DType.F64);
        }
    }

    @Test
    void aMissingOrMisshapenTensorIsNamed() throws IOException {
        try (var file = Safetensors.open(written())) {
            assertThatThrownBy(() -> file.read("b", Type.of(DType.F32, 2)))
                    .isInstanceOf(FileFormatException.class)
                    .hasMessageContainingAll("b is missing", "f32[2]", "a, empty");
            assertThatThrownBy(() -> file.read("a", Type.of(DType.F32, 3, 2)))
                    .hasMessageContainingAll("the tensor a is f32[2,3]", "f32[3,2] is expected");
        }
    }

    @Test
    void aTruncatedFileIsRefusedWhereverItIsCut() throws IOException {
        var bytes = Files.readAllBytes(written());
        var cut = folder.resolve("cut.safetensors");
        for (int n = 0; n < bytes.length; n++) {
            Files.write(cut, java.util.Arrays.copyOf(bytes, n));
            assertThatThrownBy(() -> Safetensors.open(cut).close())
                    .isInstanceOf(FileFormatException.class)
                    .hasMessageContaining("truncated");
        }
    }

    @Test
    void offsetsAreNotTrusted() throws IOException {
        var entry = "\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%s]}";
        refused(entry.formatted("a", "2", "0,4"), 4, "f32[2] takes 8");
        refused(entry.formatted("a", "1", "4,0"), 4, "no range");
        refused(entry.formatted("a", "1", "-4,0"), 4, "no range");
        refused(entry.formatted("a", "1", "0,1e9"), 4, "no range");
        refused(entry.formatted("a", "-1", "0,4"), 4, "shape");
        refused(entry.formatted("a", "99999999999", "0,4"), 4, "shape");
        refused(entry.formatted("a", "2000000000,2000000000,2000000000", "0,4"), 4, "elements");
        refused(entry.formatted("a", "1", "4,8"), 8, "belong to no tensor");
        refused(entry.formatted("a", "1", "0,4"), 12, "after the last tensor");
        var twice = entry.formatted("a", "2", "0,8") + "," + entry.formatted("b", "2", "4,12");
        refused(twice, 12, "a and b overlap");
        refused(
                entry.formatted("a", "1", "0,4") + "," + entry.formatted("a", "1", "4,8"),
                8,
                "twice");
        refused("\"a\":" + "[".repeat(500), 0, "nested");
    }

    private void refused(String members, int dataBytes, String... says) throws IOException {
        var header = ("{" + members + "}").getBytes(StandardCharsets.UTF_8);
        var bytes =
                ByteBuffer.allocate(8 + header.length + dataBytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(header.length)
                        .put(header);
        var file = Files.write(folder.resolve("made.safetensors"), bytes.array());
        assertThatThrownBy(() -> Safetensors.open(file).close())
                .isInstanceOf(FileFormatException.class)
                .hasMessageContainingAll(says);
    }
}
