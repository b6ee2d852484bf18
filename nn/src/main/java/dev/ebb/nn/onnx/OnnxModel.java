package dev.ebb.nn.onnx;

import dev.ebb.ir.ShapeException;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;

/**
 * A model in ONNX (opset 13 or later), as a function of its weights and inputs: it can be run,
 * planned in a budget, and differentiated by its weights. What it does not know it refuses when it
 * is loaded, with the op and its place.
 */
public final class OnnxModel {
    private static final long OLDEST = 13;

    private final Path file;
    private final List<OnnxNode> nodes;
    private final SequencedMap<String, Array> constants;
    private final List<String> inputs;
    private final List<String> outputs;

    private OnnxModel(
            Path file,
            List<OnnxNode> nodes,
            SequencedMap<String, Array> constants,
            List<String> inputs,
            List<String> outputs) {
        this.file = file;
        this.nodes = nodes;
        this.constants = constants;
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** Reads a .onnx file, memory-mapped while it is read. */
    public static OnnxModel load(Path file) throws IOException {
        try (var arena = Arena.ofConfined();
                var channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() == 0) throw new FileFormatException(file, "the file is empty");
            var all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            return model(file, Protobuf.of(file, all));
        } catch (IllegalArgumentException e) {
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        }
    }

    private static OnnxModel model(Path file, Protobuf in) throws FileFormatException {
        long opset = 0;
        OnnxModel made = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 7 -> made = graph(file, in.inside());
                case 8 -> opset = Math.max(opset, opset(in.inside()));
                case 25 ->
                        throw new FileFormatException(
                                file, "the model has functions of its own; export it without");
                default -> {}
            }
        }
        if (made == null) throw new FileFormatException(file, "not ONNX: it has no graph");
        if (opset < OLDEST) {
            throw new FileFormatException(
                    file,
                    "opset " + opset + "; from " + OLDEST + " on is implemented: export it anew");
        }
        return made;
    }

    private static long opset(Protobuf in) throws FileFormatException {
        var domain = "";
        long version = 0;
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field == 1) domain = in.text();
            if (field == 2) version = in.whole();
        }
        return domain.isEmpty() || domain.equals("ai.onnx") ? version : 0;
    }

    private static OnnxModel graph(Path file, Protobuf in) throws FileFormatException {
        var nodes = new ArrayList<OnnxNode>();
        var constants = new LinkedHashMap<String, Array>();
        var inputs = new ArrayList<String>();
        var outputs = new ArrayList<String>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> nodes.add(OnnxNode.read(file, in.inside(), nodes.size()));
                case 5 -> {
                    var tensor = OnnxTensor.read(file, in.inside());
                    constants.put(tensor.name(), tensor.data());
                }
                case 11 -> inputs.add(name(in.inside()));
                case 12 -> outputs.add(name(in.inside()));
                case 15 -> throw new FileFormatException(file, "the model has sparse initialisers");
                default -> {}
            }
        }
        inputs.removeAll(constants.keySet());
        check(file, nodes, constants.keySet(), inputs, outputs);
        return new OnnxModel(
                file, List.copyOf(nodes), constants, List.copyOf(inputs), List.copyOf(outputs));
    }

    private static String name(Protobuf in) throws FileFormatException {
        var name = "";
        for (int field = in.next(); field != 0; field = in.next()) if (field == 1) name = in.text();
        return name;
    }

    private static void check(
            Path file,
            List<OnnxNode> nodes,
            Set<String> constants,
            List<String> inputs,
            List<String> outputs)
            throws FileFormatException {
        var known = new HashSet<>(constants);
        known.addAll(inputs);
        known.add("");
        for (var node : nodes) {
            if (!OnnxOps.KNOWN.contains(node.op()))
                throw new FileFormatException(
                        file, node.refused("this op is not implemented").getMessage() + "");
            for (var attribute : node.attributes().values())
                if (attribute.graph())
                    throw new FileFormatException(
                            file, node.refused("it has a graph inside").getMessage() + "");
            for (var input : node.inputs())
                if (!known.contains(input))
                    throw new FileFormatException(
                            file,
                            node.refused("nothing before it makes its input " + input).getMessage()
                                    + "");
            known.addAll(node.outputs());
        }
        for (var output : outputs)
            if (!known.contains(output))
                throw new FileFormatException(file, "nothing makes the output " + output);
    }

    /** The names of what it is fed, in order. */
    public List<String> inputs() {
        return inputs;
    }

    public List<String> outputs() {
        return outputs;
    }

    /**
     * What can be trained: the initialisers of floats, by their names. One of a single element is a
     * constant of the formula, such as an exponent, and stays as it is.
     */
    public SequencedMap<String, Tensor> weights() {
        var all = new LinkedHashMap<String, Tensor>();
        constants.forEach(
                (name, array) -> {
                    if (array.dtype().isFloat() && array.type().size() > 1) all.put(name, array);
                });
        return all;
    }

    /** The outputs for these inputs, with the weights of the file. */
    public List<Tensor> apply(List<? extends Tensor> fed) {
        return apply(weights(), fed);
    }

    /** The outputs for these inputs, with other weights. */
    public List<Tensor> apply(Map<String, Tensor> weights, List<? extends Tensor> fed) {
        if (fed.size() != inputs.size()) {
            throw new IllegalArgumentException(
                    fed.size() + " inputs; the model takes " + inputs.size() + ": " + inputs);
        }
        var values = new HashMap<String, Datum>();
        constants.forEach((name, array) -> values.put(name, Datum.of(array)));
        weights.forEach((name, tensor) -> values.put(name, Datum.of(tensor)));
        for (int i = 0; i < fed.size(); i++) values.put(inputs.get(i), new Datum.Live(fed.get(i)));
        for (var node : nodes) {
            var given = node.inputs().stream().filter(n -> !n.isEmpty()).toList();
            var operands = new Operands(node, values);
            try {
                var made = OnnxOps.apply(node, operands);
                for (int i = 0; i < made.size() && i < node.outputs().size(); i++)
                    values.put(node.outputs().get(i), made.get(i));
            } catch (ShapeException | IndexOutOfBoundsException | ArithmeticException e) {
                throw new IllegalArgumentException(
                        file
                                + ": "
                                + node.refused(e.getMessage() + "; its inputs are " + given)
                                        .getMessage(),
                        e);
            }
        }
        return outputs.stream()
                .map(name -> Objects.requireNonNull(values.get(name)).tensor())
                .toList();
    }
}
