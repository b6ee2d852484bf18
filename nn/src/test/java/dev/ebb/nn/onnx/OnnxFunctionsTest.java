package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.body;
import static dev.ebb.nn.onnx.Wire.floats;
import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.whole;

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
import java.util.ArrayList;
import java.util.List;

/** Functions that a model defines are inlined. */
class OnnxFunctionsTest {
    private static final Array X = Array.of(Shape.of(2, 2), 1f, 2, 3, 5);

    @TempDir Path folder;

    private static Wire call(String function, String inputs, String outputs, Wire... attributes) {
        return node(function, inputs, outputs, attributes).text(7, "own");
    }

    private static Wire function(
            String name, String inputs, String outputs, int opset, Wire... nodes) {
        var function = new Wire().text(1, name).text(10, "own");
        for (var input : inputs.split(" ", -1)) function.text(4, input);
        for (var output : outputs.split(" ", -1)) function.text(5, output);
        for (var node : nodes) function.inside(7, node);
        return function.inside(9, new Wire().text(1, "").number(2, opset));
    }

    /** An attribute whose value is that of the function's attribute {@code of}. */
    private static Wire reference(String name, String of, int kind) {
        return new Wire().text(1, name).text(21, of).number(20, kind);
    }

    private OnnxModel model(Wire graph, Wire... functions) throws IOException {
        var all = new Wire().inside(7, graph).inside(8, new Wire().text(1, "own").number(2, 1));
        for (var function : functions) all.inside(25, function);
        all.inside(8, new Wire().number(2, 17));
        return OnnxModel.load(Files.write(folder.resolve("model.onnx"), all.toBytes()));
    }

    private static float[] computed(OnnxModel model) {
        var traced = Ebb.compile((Tensor t) -> model.apply(List.of(t)).getFirst()).apply(X);
        var eager = model.apply(List.of(X)).getFirst();
        assertThat(traced.toFloats()).containsExactly(eager.toFloats());
        return eager.toFloats();
    }

    /** The index of the maximum along an axis that each call sets. */
    @Test
    void callsHaveAttributesOfTheirOwn() throws IOException {
        var along =
                function(
                                "Along",
                                "x",
                                "y",
                                17,
                                node(
                                        "ArgMax",
                                        "x",
                                        "i",
                                        reference("axis", "where", 2),
                                        reference("keepdims", "kept", 2)),
                                node("Cast", "i", "y", whole("to", 1)))
                        .text(6, "where")
                        .inside(11, whole("kept", 0));
        var calls =
                graph(
                        "x",
                        "y",
                        List.of(
                                call("Along", "x", "t", whole("where", 0), whole("kept", 1)),
                                call("Along", "x", "u", whole("where", 1)),
                                // neither the call nor the function has a value: the op's default
                                call("Along", "x", "v"),
                                node("Add", "t u", "w"),
                                node("Add", "w v", "y")));
        assertThat(computed(model(calls, along))).containsExactly(3, 3);
        var largest =
                graph(
                        "x",
                        "y",
                        List.of(call("Along", "x", "y", whole("where", 1), whole("kept", 1))));
        var model = model(largest, along);
        assertThat(model.apply(List.of(X)).getFirst().shape()).isEqualTo(Shape.of(2, 1));
        assertThat(computed(model)).containsExactly(1, 1);
    }

    /** A function calls another one; both have a value called t, as has the model. */
    @Test
    void functionsCallFunctions() throws IOException {
        var twice = function("Twice", "a", "b", 17, node("Add", "a a", "t"), identity("t", "b"));
        var both =
                function(
                        "Both",
                        "p q",
                        "r s",
                        17,
                        call("Twice", "p", "t"),
                        call("Twice", "t", "r"),
                        node("Mul", "t q", "s"));
        var model =
                model(
                        graph(
                                "x",
                                "y",
                                List.of(
                                        call("Both", "x w", "t u"),
                                        call("Both", "t w", "v"),
                                        node("Add", "u v", "y")),
                                floats("w", List.of(2), 10, 100)),
                        both,
                        twice);
        // 2x * w + 16x
        assertThat(computed(model)).containsExactly(36, 432, 108, 1080);
        var weights = model.weights();
        assertThat(weights).containsOnlyKeys("w");
        var slope =
                Ebb.grad(
                        (Tensor w) -> {
                            var other = model.weights();
                            other.put("w", w);
                            return model.apply(other, List.of(X)).getFirst().sum();
                        });
        assertThat(slope.apply(weights.get("w")).toFloats()).containsExactly(8, 14);
    }

    private static Wire identity(String from, String to) {
        return node("Identity", from, to);
    }

    /**
     * Omitted inputs, outputs that are inputs or that are not used, bodies that read values of the
     * call.
     */
    @Test
    void whatCallsLeaveOutAndPassOn() throws IOException {
        var bound = function("Bound", "x low high", "y x y", 17, node("Clip", "x low high", "y"));
        var clipped =
                graph(
                        "x",
                        "z",
                        List.of(
                                call("Bound", "x - high", "a b c"),
                                node("Add", "a b", "t"),
                                node("Add", "t c", "z")),
                        floats("high", List.of(), 2));
        assertThat(computed(model(clipped, bound))).containsExactly(3, 6, 7, 9);
        var then = graph("", "x", List.of(node("Mul", "a t", "x")));
        var otherwise = graph("", "o", List.of(node("Neg", "t", "o")));
        var chosen =
                function(
                        "Chosen",
                        "a x",
                        "y",
                        17,
                        node("Add", "a a", "t"),
                        node(
                                "If",
                                "x",
                                "y",
                                body("then_branch", then),
                                body("else_branch", otherwise)));
        var branches =
                graph(
                        "x",
                        "z",
                        List.of(
                                call("Chosen", "x yes", "t"),
                                call("Chosen", "x no", "u"),
                                node("Add", "t u", "z")),
                        Wire.truth("yes", true),
                        Wire.truth("no", false));
        assertThat(computed(model(branches, chosen))).containsExactly(0, 4, 12, 40);
    }

    @Test
    void refusalsNameTheFunctionAndTheCall() {
        var graph = graph("x", "y", List.of(call("F", "x", "y").text(3, "here")));
        var old = function("F", "x", "y", 12, node("Softmax", "x", "y"));
        assertThatThrownBy(() -> model(graph, old))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining(
                        "node 0 of the function own.F, called by node 0, here, is Softmax: it is"
                                + " implemented as it is since opset 13, and the function is of"
                                + " opset 12");
        var self = function("F", "x", "y", 17, call("F", "x", "y"));
        assertThatThrownBy(() -> model(graph, self))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining("is own.F: the function calls itself");
        assertThatThrownBy(() -> model(graph))
                .hasMessageContaining("node 0, here, is own.F: this op is not implemented");
        var narrow = function("F", "", "y", 17, node("Neg", "x", "y"));
        assertThatThrownBy(() -> model(graph("x", "y", List.of(call("F", "x x", "y"))), narrow))
                .hasMessageContaining("it has 2 inputs and 1 outputs");
        // the body can read only those values of the model that the call passes
        var closed = function("F", "a", "y", 17, node("Neg", "x", "y"));
        assertThatThrownBy(() -> model(graph, closed))
                .hasMessageContaining("nothing before it makes its input");
        var alone = node("ArgMax", "x", "y", reference("axis", "where", 2));
        assertThatThrownBy(() -> model(graph("x", "y", List.of(alone))))
                .hasMessageContaining("refers to that of a function, where, and the node is in");
    }

    /** Twenty functions that call each other twice are a million nodes. */
    @Test
    void whatGrowsWithoutEndIsRefused() {
        var all = new ArrayList<Wire>();
        all.add(function("F0", "x", "y", 17, node("Neg", "x", "y")));
        for (int i = 1; i <= 20; i++)
            all.add(
                    function(
                            "F" + i,
                            "x",
                            "y",
                            17,
                            call("F" + (i - 1), "x", "t"),
                            call("F" + (i - 1), "t", "y")));
        var graph = graph("x", "y", List.of(call("F20", "x", "y")));
        assertThatThrownBy(() -> model(graph, all.toArray(Wire[]::new)))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining("more than 200000 nodes");
    }
}
