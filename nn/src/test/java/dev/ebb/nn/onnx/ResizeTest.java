package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.floats;
import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.longs;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.whole;
import static dev.ebb.nn.onnx.Wire.wholes;
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
import java.util.ArrayList;
import java.util.List;

/** {@code Resize} against sums over all elements, written from the standard's formulas. */
class ResizeTest {
    private static final float[] ROW = {1, 4, -2, 3, 7, 5, 0.5f};

    @TempDir Path folder;

    private OnnxModel model(String inputs, List<Wire> attributes, Wire... constants)
            throws IOException {
        var node = node("Resize", inputs, "y", attributes.toArray(Wire[]::new));
        var bytes = Wire.model(19, graph("x", "y", List.of(node), constants));
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), bytes));
    }

    private float[] resized(Tensor x, String inputs, List<Wire> attributes, Wire... constants)
            throws IOException {
        var model = model(inputs, attributes, constants);
        var traced = Ebb.compile((Tensor t) -> model.apply(List.of(t)).getFirst()).apply(x);
        assertThat(model.apply(List.of(x)).getFirst().toFloats())
                .containsExactly(traced.toFloats());
        return traced.toFloats();
    }

    private static double place(String mode, int i, int in, int out, double scale) {
        return switch (mode) {
            case "half_pixel" -> (i + 0.5) / scale - 0.5;
            case "pytorch_half_pixel" -> out == 1 ? 0 : (i + 0.5) / scale - 0.5;
            case "asymmetric" -> i / scale;
            case "align_corners" -> out == 1 ? 0 : i * (in - 1.0) / (out - 1.0);
            default -> throw new AssertionError(mode);
        };
    }

    /** The weight of an element at a distance. */
    private static double weight(String mode, double distance) {
        double d = Math.abs(distance);
        if (mode.equals("linear")) return d < 1 ? 1 - d : 0;
        double a = -0.75;
        if (d < 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
        return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
    }

    private static double slow(
            String mode, double at, double stretch, boolean exclude, float[] row) {
        double sum = 0;
        double all = 0;
        for (int j = -40; j < row.length + 40; j++) {
            boolean outside = j < 0 || j >= row.length;
            if (exclude && outside) continue;
            double w = weight(mode, (j - at) / stretch);
            sum += w * row[Math.max(0, Math.min(row.length - 1, j))];
            all += w;
        }
        return sum / all;
    }

    /** Two over the float next to two thirds is less than three in f64, and three in f32. */
    @Test
    void aScaleOfTwoThirdsPicksWholePlaces() throws IOException {
        var x = Array.of(Shape.of(1, 6), 0f, 1, 2, 3, 4, 5);
        var attributes =
                List.of(
                        word("coordinate_transformation_mode", "asymmetric"),
                        word("nearest_mode", "floor"));
        assertThat(resized(x, "x - s", attributes, floats("s", List.of(2), 1, 2 / 3f)))
                .containsExactly(0, 1, 3, 4);
    }

    @Test
    void everyModeAndSize() throws IOException {
        var x = Array.of(Shape.of(1, ROW.length), ROW);
        for (var places :
                List.of("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners")) {
            for (var mode : List.of("linear", "cubic")) {
                for (int out : new int[] {1, 3, 7, 10, 14}) {
                    for (boolean exclude : new boolean[] {false, true}) {
                        for (boolean smooth : new boolean[] {false, true}) {
                            var attributes =
                                    List.of(
                                            word("coordinate_transformation_mode", places),
                                            word("mode", mode),
                                            whole("exclude_outside", exclude ? 1 : 0),
                                            whole("antialias", smooth ? 1 : 0));
                            var made =
                                    model("x - - s", attributes, longs("s", List.of(2), 1, out))
                                            .apply(List.of(x))
                                            .getFirst()
                                            .toFloats();
                            double scale = (double) out / ROW.length;
                            double stretch = smooth && scale < 1 ? 1 / scale : 1;
                            assertThat(made).hasSize(out);
                            for (int i = 0; i < out; i++) {
                                double at = place(places, i, ROW.length, out, scale);
                                assertThat((double) made[i])
                                        .as("%s of %s %s, %d", i, places, attributes, out)
                                        .isCloseTo(
                                                slow(mode, at, stretch, exclude, ROW),
                                                within(1e-5));
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void nearestElementsByEveryRounding() throws IOException {
        var x = Array.of(Shape.of(4), 0f, 1, 2, 3);
        var scale = floats("c", List.of(1), 2);
        for (var one :
                List.of(
                        new Object[] {"round_prefer_floor", new float[] {0, 0, 1, 1, 2, 2, 3, 3}},
                        new Object[] {"floor", new float[] {0, 0, 1, 1, 2, 2, 3, 3}},
                        new Object[] {"ceil", new float[] {0, 1, 1, 2, 2, 3, 3, 3}},
                        new Object[] {"round_prefer_ceil", new float[] {0, 1, 1, 2, 2, 3, 3, 3}})) {
            var attributes =
                    List.of(
                            word("coordinate_transformation_mode", "asymmetric"),
                            word("nearest_mode", (String) one[0]));
            assertThat(resized(x, "x - c", attributes, scale)).containsExactly((float[]) one[1]);
        }
        // seven tenths of ten are seven, although the nearest float is a little less
        var ten = Array.of(Shape.of(10), 0f, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(resized(ten, "x - c", List.of(), floats("c", List.of(1), 0.7f))).hasSize(7);
    }

    @Test
    void picturesByTheStandardsValues() throws IOException {
        var x = Array.of(Shape.of(1, 1, 2, 2), 1f, 2, 3, 4);
        var twice = floats("c", List.of(4), 1, 1, 2, 2);
        assertThat(resized(x, "x - c", List.of(word("mode", "linear")), twice))
                .containsExactly(
                        1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f, 2.5f, 2.75f, 3.25f, 3.5f, 3,
                        3.25f, 3.75f, 4);
        assertThat(resized(x, "x - c", List.of(), floats("c", List.of(4), 1, 1, 2, 3)))
                .containsExactly(
                        1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4);
        // two axes alone, and the ratio of sizes kept
        var named = List.of(wholes("axes", 3, 2), word("keep_aspect_ratio_policy", "not_larger"));
        var model = model("x - - s", named, longs("s", List.of(2), 7, 6));
        assertThat(model.apply(List.of(x)).getFirst().shape()).isEqualTo(Shape.of(1, 1, 6, 6));
    }

    @Test
    void aPartIsCutOutAndFilledUp() throws IOException {
        var x = Array.of(Shape.of(4), 0f, 1, 2, 3);
        var attributes =
                List.of(
                        word("coordinate_transformation_mode", "tf_crop_and_resize"),
                        word("mode", "linear"),
                        new Wire().text(1, "extrapolation_value").real(2, 9).number(20, 1));
        var roi = floats("r", List.of(2), 0.5f, 1.5f);
        assertThat(resized(x, "x r - s", attributes, roi, longs("s", List.of(1), 3)))
                .containsExactly(1.5f, 3, 9);
    }

    /** The derivative of the sum: how often each element was used. */
    @Test
    void itIsDifferentiated() throws IOException {
        var model =
                model(
                        "x - - s",
                        List.of(
                                word("mode", "linear"),
                                word("coordinate_transformation_mode", "asymmetric")),
                        longs("s", List.of(1), 8));
        var slopes =
                Ebb.grad((Tensor t) -> model.apply(List.of(t)).getFirst().sum())
                        .apply(Array.of(Shape.of(4), 1f, 2, 3, 4));
        assertThat(((Array) slopes).toFloats()).containsExactly(1.5f, 2, 2, 2.5f);
    }

    @Test
    void whatItCannotDoIsTold() throws IOException {
        var x = Array.of(Shape.of(4), 0f, 1, 2, 3);
        var wrong = new ArrayList<OnnxModel>();
        wrong.add(
                model("x - c s", List.of(), floats("c", List.of(1), 2), longs("s", List.of(1), 3)));
        wrong.add(model("x - c", List.of(), floats("c", List.of(2), 2, 2)));
        wrong.add(model("x - c", List.of(), floats("c", List.of(1), -1)));
        wrong.add(model("x - c", List.of(), floats("c", List.of(1), 1e30f)));
        wrong.add(model("x - c", List.of(word("mode", "spline")), floats("c", List.of(1), 2)));
        for (var model : wrong)
            assertThatThrownBy(() -> model.apply(List.of(x)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("model.onnx: node 0 is Resize: ");
    }
}
