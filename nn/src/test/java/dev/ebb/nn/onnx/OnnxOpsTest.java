package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.body;
import static dev.ebb.nn.onnx.Wire.floats;
import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.longs;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.truth;
import static dev.ebb.nn.onnx.Wire.whole;
import static dev.ebb.nn.onnx.Wire.wholes;
import static dev.ebb.nn.onnx.Wire.word;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Branches and loops, and ops by values worked out by hand; computed at once and traced. */
class OnnxOpsTest {
    private static final List<Integer> ONE = List.of();

    @TempDir Path folder;

    private OnnxModel model(int opset, Wire graph) throws IOException {
        var bytes = Wire.model(opset, graph);
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), bytes));
    }

    /**
     * The result of one node, computed immediately; then the same traced, with its other inputs
     * known.
     */
    private void gives(float[] wanted, Wire node, Tensor x, Wire... constants) throws IOException {
        var model = model(17, graph("x", "y", List.of(node), constants));
        assertThat(model.apply(List.of(x)).getFirst().toFloats()).containsExactly(wanted);
        var traced = Ebb.compile((Tensor t) -> model.apply(List.of(t)).getFirst()).apply(x);
        assertThat(traced.toFloats()).containsExactly(wanted);
    }

    private static Array row(float... data) {
        return Array.of(data);
    }

    private static float[] list(float... data) {
        return data;
    }

    @Test
    void slicesGoBackwards() throws IOException {
        var x = row(0, 1, 2, 3, 4, 5, 6);
        gives(
                list(5, 3, 1),
                node("Slice", "x a b c d", "y"),
                x,
                longs("a", List.of(1), -2),
                longs("b", List.of(1), Long.MIN_VALUE),
                longs("c", List.of(1), 0),
                longs("d", List.of(1), -2));
        gives(
                list(2, 4),
                node("Slice", "x a b c d", "y"),
                x,
                longs("a", List.of(1), 2),
                longs("b", List.of(1), 6),
                longs("c", List.of(1), -1),
                longs("d", List.of(1), 2));
    }

    @Test
    void pointsArePickedAndWritten() throws IOException {
        var x = Array.of(Shape.of(2, 3), 0f, 1, 2, 3, 4, 5);
        gives(list(5, 1), node("GatherND", "x i", "y"), x, longs("i", List.of(2, 2), 1, -1, 0, 1));
        gives(
                list(0, 1, 2, 3, 4, 12),
                node("ScatterND", "x i u", "y", word("reduction", "add")),
                x,
                longs("i", List.of(1, 2), 1, 2),
                floats("u", List.of(1), 7));
        gives(
                list(9, 1, 2, 3, 8, 5),
                node("ScatterElements", "x i u", "y", whole("axis", 0)),
                x,
                longs("i", List.of(1, 2), 0, -1),
                floats("u", List.of(1, 2), 9, 8));
    }

    @Test
    void paddingReflectsAndRepeats() throws IOException {
        var pads = longs("p", List.of(2), 2, 1);
        gives(
                list(3, 2, 1, 2, 3, 2),
                node("Pad", "x p", "y", word("mode", "reflect")),
                row(1, 2, 3),
                pads);
        gives(
                list(1, 1, 1, 2, 3, 3),
                node("Pad", "x p", "y", word("mode", "edge")),
                row(1, 2, 3),
                pads);
        gives(list(2, 0), node("Pad", "x p", "y"), row(1, 2), longs("p", List.of(2), -1, 1));
    }

    @Test
    void poolsReachBeyondTheEnd() throws IOException {
        var x = Array.of(Shape.of(1, 1, 6), 3f, 1, 4, 1, 5, 9);
        gives(
                list(4, 5, 9),
                node(
                        "MaxPool",
                        "x",
                        "y",
                        wholes("kernel_shape", 3),
                        wholes("strides", 2),
                        whole("ceil_mode", 1)),
                x);
        gives(
                list(4, 1, 5, 9),
                node("MaxPool", "x", "y", wholes("kernel_shape", 2), wholes("dilations", 2)),
                x);
        gives(
                list(2, 2.5f, 7),
                node("AveragePool", "x", "y", wholes("kernel_shape", 2), wholes("strides", 2)),
                x);
        gives(
                list(1, 2.5f, 7),
                node(
                        "AveragePool",
                        "x",
                        "y",
                        wholes("kernel_shape", 2),
                        wholes("strides", 2),
                        wholes("pads", 1, 1)),
                Array.of(Shape.of(1, 1, 5), 1f, 3, 2, 1, 13));
    }

    @Test
    void largestAndHottest() throws IOException {
        gives(
                list(1, 2),
                node("TopK", "x k", "y z", whole("largest", 0)),
                row(3, 1, 2),
                longs("k", List.of(1), 2));
        gives(list(0, 1, 0), node("Hardmax", "x", "y"), row(1, 4, 4));
        gives(
                list(0, 1, 3),
                node("CumSum", "x a", "y", whole("exclusive", 1)),
                row(1, 2, 3),
                longs("a", ONE, 0));
        gives(
                list(-1, 2, -1),
                node("Mod", "x d", "y", whole("fmod", 1)),
                row(-7, 8, -4),
                floats("d", ONE, 3));
    }

    /**
     * A branch with a known condition is replaced by the branch taken; one that depends on data is
     * chosen at run time.
     */
    @Test
    void branches() throws IOException {
        var twice = graph("", "a", List.of(node("Add", "x x", "a")));
        var less = graph("", "b", List.of(node("Sub", "x one", "b")), floats("one", ONE, 1));
        var byData =
                model(
                        17,
                        graph(
                                "x",
                                "y",
                                List.of(
                                        node("ReduceSum", "x", "s", whole("keepdims", 0)),
                                        node("Greater", "s zero", "c"),
                                        node(
                                                "If",
                                                "c",
                                                "y",
                                                body("then_branch", twice),
                                                body("else_branch", less))),
                                floats("zero", ONE, 0)));
        var run = Ebb.compile((Tensor x) -> byData.apply(List.of(x)).getFirst());
        assertThat(run.apply(row(1, 2)).toFloats()).containsExactly(2, 4);
        assertThat(run.apply(row(1, -2)).toFloats()).containsExactly(0, -3);
        var slope = Ebb.grad((Tensor x) -> byData.apply(List.of(x)).getFirst().sum());
        assertThat(slope.apply(row(1, 2)).toFloats()).containsExactly(2, 2);
        assertThat(slope.apply(row(1, -2)).toFloats()).containsExactly(1, 1);
        gives(
                list(2, 4),
                node("If", "c", "y", body("then_branch", twice), body("else_branch", less)),
                row(1, 2),
                truth("c", true));
    }

    /** Loops are unrolled: y = x * 1 * 2 * 3, and the results of each round. */
    @Test
    void loops() throws IOException {
        var round =
                graph(
                        "i go v",
                        "on w v2",
                        List.of(
                                node("Cast", "i", "n", whole("to", 1)),
                                node("Add", "n one", "m"),
                                node("Mul", "v m", "w"),
                                node("Identity", "w", "v2"),
                                node("Identity", "go", "on")),
                        floats("one", ONE, 1));
        var model =
                model(
                        13,
                        graph(
                                "x",
                                "y all",
                                List.of(node("Loop", "count - x", "y all", body("body", round))),
                                longs("count", ONE, 3)));
        var made = Ebb.compile((Tensor x) -> model.apply(List.of(x))).apply(row(1, 2));
        assertThat(made.getFirst().toFloats()).containsExactly(6, 12);
        assertThat(made.getLast().toFloats()).containsExactly(1, 2, 2, 4, 6, 12);

        var untilLarge =
                graph(
                        "i go v",
                        "on w",
                        List.of(
                                node("Add", "v v", "w"),
                                node("ReduceSum", "w", "s", whole("keepdims", 0)),
                                node("Less", "s ten", "on")),
                        floats("ten", ONE, 10));
        var open =
                model(
                        13,
                        graph(
                                "x",
                                "y",
                                List.of(node("Loop", "- yes x", "y", body("body", untilLarge))),
                                truth("yes", true)));
        assertThat(open.apply(List.of(row(1, 2))).getFirst().toFloats()).containsExactly(4, 8);
        var traced = Ebb.compile((Tensor x) -> open.apply(List.of(x)).getFirst());
        assertThatThrownBy(() -> traced.apply(row(1, 2)))
                .hasMessageContaining("node 0 is Loop: whether round 1 runs depends on data");
    }

    /** Running sums from the end, as one loop in the graph, with a derivative. */
    @Test
    void scans() throws IOException {
        var round =
                graph(
                        "sum one",
                        "next row",
                        List.of(node("Add", "sum one", "next"), node("Identity", "next", "row")));
        var model =
                model(
                        13,
                        graph(
                                "x",
                                "last all",
                                List.of(
                                        node(
                                                "Scan",
                                                "start x",
                                                "last all",
                                                body("body", round),
                                                whole("num_scan_inputs", 1),
                                                wholes("scan_input_directions", 1),
                                                wholes("scan_output_directions", 1))),
                                floats("start", ONE, 10)));
        var made = Ebb.compile((Tensor x) -> model.apply(List.of(x))).apply(row(1, 2, 3));
        assertThat(made.getFirst().item()).isEqualTo(16);
        assertThat(made.getLast().toFloats()).containsExactly(16, 15, 13);
        var slope = Ebb.grad((Tensor x) -> model.apply(List.of(x)).getLast().sum());
        assertThat(slope.apply(row(1, 2, 3)).toFloats()).containsExactly(1, 2, 3);
    }

    /**
     * The number of boxes depends on data: it is computed for arrays, and a traced model is
     * refused.
     */
    @Test
    void boxesOfArraysAreTaken() throws IOException {
        var model =
                model(
                        13,
                        graph(
                                "x",
                                "y",
                                List.of(node("NonMaxSuppression", "b x most over", "y")),
                                floats("b", List.of(1, 3, 4), 0, 0, 2, 2, 2, 2, 0, .1f, 5, 5, 6, 6),
                                longs("most", List.of(1), 9),
                                floats("over", List.of(1), .5f)));
        var scores = Array.of(Shape.of(1, 2, 3), 1f, 2, 3, 4, 1, 4);
        var taken = model.apply(List.of(scores)).getFirst();
        assertThat(taken.shape()).isEqualTo(Shape.of(4, 3));
        assertThat(taken.toLongs()).containsExactly(0, 0, 2, 0, 0, 1, 0, 1, 0, 0, 1, 2);
        var traced = Ebb.compile((Tensor x) -> model.apply(List.of(x)).getFirst());
        assertThatThrownBy(() -> traced.apply(scores))
                .hasMessageContaining("node 0 is NonMaxSuppression: how many boxes it gives")
                .hasMessageContaining("apply the model to arrays without compiling it");
    }

    @Test
    void theGuideSaysHowManyOpsThereAre() throws IOException {
        assertThat(Files.readString(Path.of("../docs/guide/7-files.md")))
                .contains("It knows " + OnnxOps.ALL.size() + " ops");
    }

    @Test
    void anOlderMeaningIsRefused() {
        assertThatThrownBy(() -> model(12, graph("x", "y", List.of(node("Softmax", "x", "y")))))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining(
                        "node 0 is Softmax: it is implemented as it is since opset 13, and the"
                                + " model is of opset 12; export it anew");
    }

    @Test
    void bodiesInBodiesEndSomewhere() {
        var inner = graph("", "y", List.of(node("Identity", "x", "y")));
        for (int i = 0; i < 100; i++)
            inner = graph("", "y", List.of(node("If", "x", "y", body("then_branch", inner))));
        var deep = inner;
        assertThatThrownBy(() -> model(17, deep))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining("a message inside 100 others");
    }
}
