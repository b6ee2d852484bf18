package dev.ebb.nn.onnx;

import static dev.ebb.nn.onnx.Wire.floats;
import static dev.ebb.nn.onnx.Wire.graph;
import static dev.ebb.nn.onnx.Wire.node;
import static dev.ebb.nn.onnx.Wire.whole;
import static dev.ebb.nn.onnx.Wire.wholes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Ops on bytes, by values worked out by hand; signed bytes are held as i32. */
class QuantisedOpsTest {
    private static final int UNSIGNED = 2;
    private static final int SIGNED = 3;

    @TempDir Path folder;

    private static Wire bytes(String name, int kind, List<Integer> dims, int... values) {
        var tensor = new Wire();
        for (int d : dims) tensor.number(1, d);
        var raw = new byte[values.length];
        for (int i = 0; i < raw.length; i++) raw[i] = (byte) values[i];
        return tensor.number(2, kind).text(8, name).bytes(9, raw);
    }

    private Tensor run(Wire node, Tensor x, Wire... constants) throws IOException {
        var file = folder.resolve("model.onnx");
        Files.write(file, Wire.model(13, graph("x", "y", List.of(node), constants)));
        return OnnxModel.load(file).apply(List.of(x)).getFirst();
    }

    private static Tensor u8(Shape shape, int... values) {
        return Array.of(shape, values).cast(DType.U8);
    }

    @Test
    void numbersBecomeTheNearestByteAndEndsStop() throws IOException {
        var x = Array.of(0.5f, 1.5f, -1, 1000, -1000);
        var scale = floats("s", List.of(), 1);
        var up =
                run(
                        node("QuantizeLinear", "x s z", "y"),
                        x,
                        scale,
                        bytes("z", UNSIGNED, List.of(), 10));
        // half to even
        assertThat(up.dtype()).isEqualTo(DType.U8);
        assertThat(up.toInts()).containsExactly(10, 12, 9, 255, 0);
        var down =
                run(
                        node("QuantizeLinear", "x s z", "y"),
                        x,
                        scale,
                        bytes("z", SIGNED, List.of(), -10));
        assertThat(down.toInts()).containsExactly(-10, -8, -11, 127, -128);
    }

    @Test
    void eachRowHasAScaleOfItsOwn() throws IOException {
        var wide =
                run(
                        node("DequantizeLinear", "x s z", "y", whole("axis", 0)),
                        u8(Shape.of(2, 2), 1, 2, 3, 4),
                        floats("s", List.of(2), 10, 100),
                        bytes("z", UNSIGNED, List.of(2), 1, 2));
        assertThat(wide.toFloats()).containsExactly(0, 10, 100, 200);
        assertThatThrownBy(
                        () ->
                                run(
                                        node("DequantizeLinear", "x s", "y", whole("axis", 0)),
                                        u8(Shape.of(2, 2), 1, 2, 3, 4),
                                        floats("s", List.of(3), 1, 2, 3)))
                .hasMessageContainingAll("node 0 is DequantizeLinear", "f32[3]", "axis 0");
    }

    @Test
    void productsOfBytesAreExact() throws IOException {
        var x = u8(Shape.of(1, 2), 255, 3);
        var product =
                run(
                        node("MatMulInteger", "x w a b", "y"),
                        x,
                        bytes("w", SIGNED, List.of(2, 2), -128, 1, 127, 2),
                        bytes("a", UNSIGNED, List.of(), 1),
                        bytes("b", SIGNED, List.of(2), 0, -1));
        // 254 * -128 + 2 * 127, 254 * 2 + 2 * 3
        assertThat(product.dtype()).isEqualTo(DType.I32);
        assertThat(product.toInts()).containsExactly(-32258, 514);
        var scaled =
                run(
                        node("QLinearMatMul", "x xs a w ws b ys yz", "y"),
                        x,
                        floats("xs", List.of(), 0.5f),
                        bytes("a", UNSIGNED, List.of(), 1),
                        bytes("w", SIGNED, List.of(2, 2), -128, 1, 127, 2),
                        floats("ws", List.of(2), 0.01f, 0.1f),
                        bytes("b", SIGNED, List.of(2), 0, -1),
                        floats("ys", List.of(), 0.25f),
                        bytes("yz", UNSIGNED, List.of(), 100));
        // -645.16 + 100 and 102.8 + 100
        assertThat(scaled.toInts()).containsExactly(0, 203);
    }

    @Test
    void convolutionsPadWithTheZeroPoint() throws IOException {
        var x = u8(Shape.of(1, 1, 3), 5, 6, 7);
        var kernel = bytes("w", SIGNED, List.of(2, 1, 2), 1, 2, -1, 0);
        var sums =
                run(
                        node("ConvInteger", "x w a", "y", wholes("pads", 1, 0)),
                        x,
                        kernel,
                        bytes("a", UNSIGNED, List.of(), 5));
        // of 0 0 1 2 with 1 2, and with -1 0
        assertThat(sums.toInts()).containsExactly(0, 2, 5, 0, 0, -1);
        var scaled =
                run(
                        node("QLinearConv", "x xs a w ws b ys yz c", "y", wholes("pads", 1, 0)),
                        x,
                        floats("xs", List.of(), 1),
                        bytes("a", UNSIGNED, List.of(), 5),
                        kernel,
                        floats("ws", List.of(2), 1, 10),
                        bytes("b", SIGNED, List.of(), 0),
                        floats("ys", List.of(), 2),
                        bytes("yz", SIGNED, List.of(), -1),
                        new Wire()
                                .number(1, 2)
                                .number(2, 6)
                                .text(8, "c")
                                .number(5, 4)
                                .number(5, 1));
        // (sums + 4) / 2 - 1 and (sums + 1) * 10 / 2 - 1, halves to even
        assertThat(scaled.toInts()).containsExactly(1, 2, 3, 4, 4, -1);
    }
}
