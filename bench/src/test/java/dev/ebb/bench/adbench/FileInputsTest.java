package dev.ebb.bench.adbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import static java.util.stream.Collectors.joining;

import dev.ebb.cpu.Cpu;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;

/** Files in ADBench's formats, made here. */
class FileInputsTest {
    private static final int[] PARENTS = {
        -1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0
    };

    @TempDir Path folder;

    private final Random random = new Random(5);

    /** A line for each number of them. */
    private String lines(int... counts) {
        return Arrays.stream(counts)
                .mapToObj(n -> random.doubles(n, 0.1, 1))
                .map(r -> r.mapToObj(Double::toString).collect(joining(" ")))
                .collect(joining("\n", "\n", "\n"));
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(folder.resolve(name).getParent());
        Files.writeString(folder.resolve(name), text);
    }

    private void writeAll() throws IOException {
        write("gmm/1k/gmm_d2_K3.txt", "2 3 1000" + lines(3, 6, 9, 2000) + "1.0 0\n");
        write("ba/ba7_n2_m3_p5.txt", "2 3 5" + lines(11, 3, 1, 2));
        write("lstm/lstm_l2_c6.txt", "2 6 4" + lines(64, 12, 16, 24));
        writeModel("hand/simple_big/model/");
        writeModel("hand/complicated_big/model/");
        write("hand/simple_big/hand3_t26_c3.txt", "3 26" + numbered(8, 0, 8) + lines(26));
        write(
                "hand/complicated_big/hand3_t26_c3.txt",
                "3 26" + numbered(1, 0, 2) + lines(2, 2, 2, 26));
    }

    /** A line for each: the number of a vertex or triangle, and where a point was measured. */
    private String numbered(int... at) {
        return Arrays.stream(at)
                .mapToObj(n -> "\n" + n + lines(3).replace('\n', ' '))
                .collect(joining());
    }

    /** Twenty-two bones, nine vertices and three triangles. */
    private void writeModel(String in) throws IOException {
        var bones = new StringBuilder();
        for (int b = 0; b < 22; b++)
            bones.append("bone" + b + ":" + PARENTS[b] + ":" + frame() + ":" + frame() + "\n");
        var vertices = new StringBuilder();
        for (int v = 0; v < 9; v++)
            vertices.append(words(8) + ":2:" + v + ":0.25:" + (21 - v) + ":0.75\n");
        write(in + "bones.txt", bones.toString());
        write(in + "vertices.txt", vertices.toString());
        write(in + "triangles.txt", "0:1:2\n3:8:5\n6:7:1\n");
    }

    private String words(int count) {
        return lines(count).strip().replace(' ', ':');
    }

    private String frame() {
        return words(12) + ":0.0:0.0:0.0:1.0";
    }

    @Test
    void derivatives_of_what_files_hold_agree_with_those_by_hand() throws IOException {
        writeAll();
        var in = Inputs.Arguments.of(new String[] {"data=" + folder}, "gmm").inputs();
        try (var cpu = new Cpu(1);
                var gmm = Problem.gmm(in.mixture(1000, 2, 3), cpu);
                var ba = Problem.ba(in.scene(2, 3, 5), cpu);
                var lstm = Problem.lstm(in.sequence(2, 6), cpu);
                var simple = Problem.hand(in.hand(9, 3, false), cpu);
                var complicated = Problem.complicatedHand(in.hand(9, 3, true), cpu)) {
            for (var problem : new Problem[] {gmm, ba, lstm, simple, complicated})
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
    void a_hand_has_the_weights_of_its_bones_and_the_corners_of_its_points() throws IOException {
        writeAll();
        var in = new FileInputs(folder);
        var simple = in.hand(9, 3, false);
        assertThat(simple.corners()).containsExactly(8, 8, 8, 0, 0, 0, 8, 8, 8);
        assertThat(in.hand(9, 3, true).corners()).containsExactly(3, 8, 5, 0, 1, 2, 6, 7, 1);
        assertThat(simple.base()).hasSize(22 * 12);
        var weights = Arrays.copyOfRange(simple.weights(), 22, 44);
        assertThat(weights[1]).isEqualTo(0.25);
        assertThat(weights[20]).isEqualTo(0.75);
        assertThat(DoubleStream.of(weights).sum()).isEqualTo(1);
    }

    /**
     * A hand whose frames are all the identity and whose one finger is bent: a vertex of its second
     * bone turns about x and then about z, one of its first bone stays.
     */
    @Test
    void angles_turn_the_second_bone_of_a_finger_about_x_and_then_z() throws IOException {
        var one = "1:0:0:0:0:1:0:0:0:0:1:0:0:0:0:1";
        var bones = new StringBuilder();
        for (int b = 0; b < 22; b++) bones.append("b:" + PARENTS[b] + ":" + one + ":" + one + "\n");
        var in = "hand/simple_big/";
        write(in + "model/bones.txt", bones.toString());
        write(in + "model/vertices.txt", "0:1:0:0:0:0:0:0:1:1:1\n0:1:0:0:0:0:0:0:1:2:1\n");
        write(in + "model/triangles.txt", "");
        double x = 0.3;
        double z = 0.7;
        var pose = "1e-9 0 0 0 0 0 " + x + " " + z + " 0".repeat(18);
        write(in + "hand1_t26_c2.txt", "2 26\n0 0 0 0\n1 0 0 0\n" + pose);
        var data = new FileInputs(folder).hand(2, 2, false);
        var vertices = Hand.vertices(Hand.Model.of(data), Array.of(data.pose())).toDoubles();
        double[] expected = {
            0, 1, 0, -Math.sin(z) * Math.cos(x), Math.cos(z) * Math.cos(x), Math.sin(x)
        };
        assertThat(vertices).containsExactly(expected, within(1e-8));
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
        assertThatThrownBy(() -> in.hand(8, 3, true)).hasMessageContaining("9 vertices, not of 8");
        assertThatThrownBy(() -> in.hand(9, 4, true)).hasMessageContaining("/*_t26_c4.*");
        assertThatThrownBy(() -> in.hand(544, 3, true)).hasMessageContaining("bones.txt cannot");
        var bones = folder.resolve("hand/simple_big/model/bones.txt");
        var text = Files.readString(bones);
        Files.writeString(bones, text.replace("bone6:5:", "bone6:4:"));
        assertThatThrownBy(() -> in.hand(9, 3, false))
                .hasMessageContaining("the parent of bone 6 is not bone 5");
        Files.writeString(bones, text.substring(0, text.indexOf("bone21")));
        assertThatThrownBy(() -> in.hand(9, 3, false)).hasMessageContaining("21 bones, not 22");
    }
}
