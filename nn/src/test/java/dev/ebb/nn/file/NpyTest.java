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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;

final class NpyTest {
    @TempDir Path folder;

    @Test
    void everyTypeAndRankComesBack() throws IOException {
        var file = folder.resolve("x.npy");
        for (var dtype : List.of(DType.F32, DType.F64, DType.F16, DType.I32, DType.I64, DType.U8)) {
            for (var shape : List.of(Shape.scalar(), Shape.of(6), Shape.of(2, 3), Shape.of(0, 2))) {
                var data = new double[(int) shape.size()];
                Arrays.setAll(data, i -> i);
                var x = Array.of(new Type(dtype, shape), data);
                Npy.write(file, x);
                assertThat(Npy.read(file).sameBits(x)).as("%s", x.type()).isTrue();
            }
        }
    }

    @Test
    void theHeaderIsWhatNumpyWrites() throws IOException {
        var file = folder.resolve("x.npy");
        Npy.write(file, Array.of(1f, 2f));
        var bytes = Files.readAllBytes(file);
        assertThat(bytes.length).isEqualTo(128 + 8);
        assertThat(new String(bytes, 10, 118, StandardCharsets.US_ASCII))
                .startsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }")
                .endsWith("\n");
    }

    @Test
    void columnOrderAndBigEndianAreTurned() throws IOException {
        var file = folder.resolve("x.npy");
        Npy.write(file, Array.of(Shape.of(2, 3), 1, 2, 3, 4, 5, 6));
        var text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        Files.write(file, text.replace("False", "True ").getBytes(StandardCharsets.ISO_8859_1));
        assertThat(Npy.read(file).toDoubles()).containsExactly(1, 3, 5, 2, 4, 6);
        Files.write(file, text.replace("<i8", ">i8").getBytes(StandardCharsets.ISO_8859_1));
        assertThat(Npy.read(file).data().get(0)).isEqualTo(0x1p56);
    }

    @Test
    void archivesKeepNamesAndOrder() throws IOException {
        var file = folder.resolve("x.npz");
        var all = new LinkedHashMap<String, Array>();
        all.put("w", Array.of(1f, 2f));
        all.put("a/b", Array.scalar(3L));
        Npy.writeAll(file, all);
        var back = Npy.readAll(file);
        assertThat(back.keySet()).containsExactly("w", "a/b");
        assertThat(back.firstEntry().getValue().toFloats()).containsExactly(1, 2);
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 40));
        assertThatThrownBy(() -> Npy.readAll(file)).isInstanceOf(FileFormatException.class);
    }
}
