package dev.ebb.bench.adbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.cpu.Cpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Files in ADBench's formats, made here. */
class FileInputsTest {
    @TempDir Path folder;

    private final Random random = new Random(5);

    /** A line for each number of them. */
    private String lines(int... counts) {
        return Arrays.stream(counts)
                .mapToObj(n -> random.doubles(n, 0.1, 1))
                .map(r -> r.mapToObj(Double::toString).collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n", "\n", "\n"));
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(folder.resolve(name).getParent());
        Files.writeString(folder.resolve(name), text);
    }

    private void writeAll() throws IOException {
        write("gmm/1k/gmm_d2_K3.txt", "2 3 1000" + lines(3, 6, 9, 2000) + "1.0 0\n");
        write("ba/ba7_n2_m3_p5.txt", "2 3 5" + lines(11, 3, 1, 2));
        write("lstm/lstm_l2_c6.txt", "2 6 4" + lines(64, 12, 16, 24));
    }

    @Test
    void derivatives_of_what_files_hold_agree_with_those_by_hand() throws IOException {
        writeAll();
        var in = Inputs.Arguments.of(new String[] {"data=" + folder}, "gmm").inputs();
        try (var cpu = new Cpu(1);
                var gmm = Problem.gmm(in.mixture(1000, 2, 3), cpu);
                var ba = Problem.ba(in.scene(2, 3, 5), cpu);
                var lstm = Problem.lstm(in.sequence(2, 6), cpu)) {
            for (var problem : new Problem[] {gmm, ba, lstm})
                assertThat(problem.difference()).as(problem.name()).isLessThan(1e-9);
        }
    }

    @Test
    void observations_take_cameras_and_points_in_turn() throws IOException {
        writeAll();
        var scene = new FileInputs(folder).scene(2, 3, 5);
        assertThat(scene.camera()).containsExactly(0, 1, 0, 1, 0);
        assertThat(scene.point()).containsExactly(0, 1, 2, 0, 1);
        assertThat(scene.cameras()).hasSize(22);
        assertThat(DoubleStream.of(scene.weights()).distinct().count()).isEqualTo(1);
        assertThat(scene.features()[8]).isEqualTo(scene.features()[0]);
    }

    @Test
    void other_files_are_refused() throws IOException {
        writeAll();
        var in = new FileInputs(folder);
        assertThatThrownBy(() -> in.sequence(4, 6)).hasMessageContaining("lstm_l4_c6.txt cannot");
        assertThatThrownBy(() -> in.scene(9, 9, 9)).hasMessageContaining("no file ba/*_n9_m9_");
        assertThatThrownBy(() -> in.scene(2, 3, 6)).hasMessageContaining("begins with 5");
        write("lstm/lstm_l2_c6.txt", "2 6 4" + lines(64, 12, 16, 23));
        assertThatThrownBy(() -> in.sequence(2, 6)).hasMessageContaining("ends too early");
        write("gmm/1k/gmm_d2_K3.txt", "2 3 1000" + lines(3, 6, 9, 2000) + "2.0 0\n");
        assertThatThrownBy(() -> in.mixture(1000, 2, 3)).hasMessageContaining("another prior");
    }
}
