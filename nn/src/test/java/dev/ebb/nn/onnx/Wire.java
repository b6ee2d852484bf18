package dev.ebb.nn.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** ONNX models written field by field, for tests; the exporter is not used. */
final class Wire {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Wire number(int field, long value) {
        varint((long) field << 3);
        varint(value);
        return this;
    }

    Wire real(int field, float value) {
        varint((long) field << 3 | 5);
        var four = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(value);
        out.writeBytes(four.array());
        return this;
    }

    Wire bytes(int field, byte[] bytes) {
        varint((long) field << 3 | 2);
        varint(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    Wire text(int field, String text) {
        return bytes(field, text.getBytes(StandardCharsets.UTF_8));
    }

    Wire inside(int field, Wire message) {
        return bytes(field, message.toBytes());
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~127L) != 0) {
            out.write((int) (rest & 127 | 128));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    // ---- what models are made of; names are separated by spaces ------------------------------

    static Wire longs(String name, List<Integer> dims, long... values) {
        var tensor = new Wire();
        for (int d : dims) tensor.number(1, d);
        tensor.number(2, 7).text(8, name);
        for (long v : values) tensor.number(7, v);
        return tensor;
    }

    static Wire floats(String name, List<Integer> dims, float... values) {
        var tensor = new Wire();
        for (int d : dims) tensor.number(1, d);
        tensor.number(2, 1).text(8, name);
        for (float v : values) tensor.real(4, v);
        return tensor;
    }

    static Wire truth(String name, boolean value) {
        return new Wire().number(2, 9).text(8, name).number(5, value ? 1 : 0);
    }

    static Wire whole(String name, long value) {
        return new Wire().text(1, name).number(3, value).number(20, 2);
    }

    static Wire word(String name, String value) {
        return new Wire().text(1, name).text(4, value).number(20, 3);
    }

    static Wire wholes(String name, long... values) {
        var attribute = new Wire().text(1, name).number(20, 7);
        for (long v : values) attribute.number(8, v);
        return attribute;
    }

    static Wire body(String name, Wire graph) {
        return new Wire().text(1, name).inside(6, graph).number(20, 5);
    }

    static Wire node(String op, String inputs, String outputs, Wire... attributes) {
        var node = new Wire();
        for (var input : inputs.split(" ", -1)) node.text(1, input.equals("-") ? "" : input);
        for (var output : outputs.split(" ", -1)) node.text(2, output);
        node.text(4, op);
        for (var attribute : attributes) node.inside(5, attribute);
        return node;
    }

    /** Parts of a graph in any order. */
    static Wire graph(String inputs, String outputs, List<Wire> nodes, Wire... constants) {
        var graph = new Wire();
        nodes.forEach(node -> graph.inside(1, node));
        for (var constant : constants) graph.inside(5, constant);
        var names = new ArrayList<>(List.of(inputs.split(" ", -1)));
        names.remove("");
        names.forEach(name -> graph.inside(11, new Wire().text(1, name)));
        for (var name : outputs.split(" ", -1)) graph.inside(12, new Wire().text(1, name));
        return graph;
    }

    static byte[] model(int opset, Wire graph) {
        return new Wire()
                .number(1, 8)
                .inside(7, graph)
                .inside(8, new Wire().text(1, "").number(2, opset))
                .toBytes();
    }
}
