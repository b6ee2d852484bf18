package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.whole;
import static dev.ebb.nn.onnx.Wire.word;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** {@code GridSample} point by point, written from the standard's text. */
class GridSampleTest {
    private static final int HEIGHT = 3;
    private static final int WIDTH = 4;
    private static final int POINTS = 12;

    @TempDir Path folder;
    private final Random random = new Random(3);
    private final double[] picture = random.doubles(2 * HEIGHT * WIDTH, -2, 2).toArray();

    /** Some points lie far outside, some on ends and halfway between points. */
    private double[] grid() {
        var grid = random.doubles(2 * POINTS, -2.6, 2.6).toArray();
        System.arraycopy(new double[] {-1, 1, 1, -1, 0.25, 1.0 / 3}, 0, grid, 0, 6);
        return grid;
    }

    private OnnxModel model(String mode, String padding, boolean corners) throws IOException {
        var node =
                node(
                        "GridSample",
                        "x g",
                        "y",
                        word("mode", mode),
                        word("padding_mode", padding),
                        whole("align_corners", corners ? 1 : 0));
        var bytes = Wire.model(16, graph("x g", "y", List.of(node)));
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), bytes));
    }

    private static double thrownBack(double at, double low, double high) {
        double x = at;
        while (x < low || x > high) x = x < low ? 2 * low - x : 2 * high - x;
        return x;
    }

    private static double place(double g, int size, boolean corners) {
        return corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    }

    private static double padded(double x, int size, String padding, boolean corners) {
        return switch (padding) {
            case "border" -> Math.clamp(x, 0, size - 1);
            case "reflection" -> thrownBack(x, corners ? 0 : -0.5, corners ? size - 1 : size - 0.5);
            default -> x;
        };
    }

    private double pixel(int channel, int i, int j, String padding, boolean corners) {
        double row = padded(i, HEIGHT, padding, corners);
        double column = padded(j, WIDTH, padding, corners);
        if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH) return 0;
        return picture[(channel * HEIGHT + (int) row) * WIDTH + (int) column];
    }

    private static double weight(String mode, double distance) {
        double d = Math.abs(distance);
        double a = -0.75;
        return switch (mode) {
            case "nearest" -> d == 0 ? 1 : 0;
            case "bilinear" -> Math.max(0, 1 - d);
            default ->
                    d <= 1
                            ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                            : d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
        };
    }

    private double slow(
            int channel, double gx, double gy, String mode, String padding, boolean corners) {
        double x = place(gx, WIDTH, corners);
        double y = place(gy, HEIGHT, corners);
        if (mode.equals("nearest")) {
            x = Math.rint(x);
            y = Math.rint(y);
        }
        x = padded(x, WIDTH, padding, corners);
        y = padded(y, HEIGHT, padding, corners);
        double sum = 0;
        for (int i = (int) Math.floor(y) - 3; i < y + 4; i++)
            for (int j = (int) Math.floor(x) - 3; j < x + 4; j++)
                sum +=
                        weight(mode, i - y)
                                * weight(mode, j - x)
                                * pixel(channel, i, j, padding, corners);
        return sum;
    }

    @Test
    void everyModeAndPadding() throws IOException {
        var x = Array.of(Shape.of(1, 2, HEIGHT, WIDTH), picture);
        for (var mode : List.of("nearest", "bilinear", "bicubic")) {
            for (var padding : List.of("zeros", "border", "reflection")) {
                for (boolean corners : new boolean[] {false, true}) {
                    var points = grid();
                    var grid = Array.of(Shape.of(1, 3, 4, 2), points);
                    var made = model(mode, padding, corners).apply(List.of(x, grid)).getFirst();
                    assertThat(made.shape()).isEqualTo(Shape.of(1, 2, 3, 4));
                    var found = made.toDoubles();
                    for (int p = 0; p < 2 * POINTS; p++) {
                        int at = p % POINTS;
                        assertThat(found[p])
                                .as("%s %s %s, point %d", mode, padding, corners, p)
                                .isCloseTo(
                                        slow(
                                                p / POINTS,
                                                points[2 * at],
                                                points[2 * at + 1],
                                                mode,
                                                padding,
                                                corners),
                                        within(1e-12));
                    }
                }
            }
        }
    }

    /** Along the picture and along the grid, against differences. */
    @Test
    void hasDerivatives() throws IOException {
        var model = model("bicubic", "zeros", false);
        var x = Array.of(Shape.of(1, 2, HEIGHT, WIDTH), picture);
        var points = random.doubles(2 * POINTS, -0.9, 0.9).toArray();
        var grid = Array.of(Shape.of(1, 3, 4, 2), points);
        var slope =
                Ebb.grad((Tensor g) -> model.apply(List.of(x, g)).getFirst().square().sum())
                        .apply(grid)
                        .toDoubles();
        for (int i : new int[] {0, 5, 17}) {
            var there = points.clone();
            var back = points.clone();
            there[i] += 1e-6;
            back[i] -= 1e-6;
            double difference = (sum(model, x, there) - sum(model, x, back)) / 2e-6;
            assertThat(slope[i]).isCloseTo(difference, within(1e-6 * (1 + Math.abs(difference))));
        }
    }

    private static double sum(OnnxModel model, Array x, double[] points) {
        var grid = Array.of(Shape.of(1, 3, 4, 2), points);
        return model.apply(List.of(x, grid)).getFirst().square().sum().item();
    }

    @Test
    void otherFormsAreRefused() throws IOException {
        var x = Array.of(Shape.of(1, 2, HEIGHT, WIDTH), picture);
        var flat = Array.of(Shape.of(1, 12, 2), grid());
        var model = model("bilinear", "zeros", false);
        assertThatThrownBy(() -> model.apply(List.of(x, flat)))
                .hasMessageContaining("node 0 is GridSample: pictures of");
        var odd = model("trilinear", "zeros", false);
        var grid = Array.of(Shape.of(1, 3, 4, 2), grid());
        assertThatThrownBy(() -> odd.apply(List.of(x, grid)))
                .hasMessageContaining("the mode trilinear");
    }
}
