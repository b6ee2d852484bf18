package dev.ebb.nn.onnx;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.onnx.wire.Protobuf;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The nodes of a model, or of the body of a branch or loop in it, which can read the values of the
 * enclosing graph.
 *
 * @param constants the initialisers
 */
record OnnxGraph(
        Path file,
        List<OnnxNode> nodes,
        SequencedMap<String, Array> constants,
        List<String> inputs,
        List<String> outputs) {

    /**
     * An op whose known inputs have at most this many elements is computed during tracing: exported
     * models compute shapes by ops, and shapes must be known then.
     */
    private static final long FEW = 4096;

    static OnnxGraph read(Path file, Protobuf in) throws FileFormatException {
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
        return new OnnxGraph(
                file, List.copyOf(nodes), constants, List.copyOf(inputs), List.copyOf(outputs));
    }

    private static String name(Protobuf in) throws FileFormatException {
        var name = "";
        for (int field = in.next(); field != 0; field = in.next()) if (field == 1) name = in.text();
        return name;
    }

    /**
     * Throws for a node that is not implemented in its opset, and for an input without a source.
     */
    void check(Set<String> around) throws FileFormatException {
        var known = new HashSet<>(around);
        known.addAll(constants.keySet());
        known.addAll(inputs);
        known.add("");
        for (var node : nodes) {
            var op = Optional.ofNullable(OnnxOps.ALL.get(node.op()));
            if (op.isEmpty()) throw node.refusedIn(file, "this op is not implemented");
            if (op.get().since() > node.opset())
                throw node.refusedIn(
                        file,
                        "it is implemented as it is since opset "
                                + op.get().since()
                                + ", and the "
                                + (node.within().isEmpty() ? "model" : "function")
                                + " is of opset "
                                + node.opset()
                                + "; export it anew");
            for (var input : node.inputs())
                if (!known.contains(input))
                    throw node.refusedIn(file, "nothing before it makes its input " + input);
            for (var attribute : node.attributes().values())
                if (attribute.graph().isPresent()) attribute.graph().get().check(known);
            known.addAll(node.outputs());
        }
        for (var output : outputs)
            if (!known.contains(output))
                throw new FileFormatException(file, "nothing makes the output " + output);
    }

    /**
     * The outputs.
     *
     * @param given the values of the inputs, of the enclosing graph, and of constants to be
     *     replaced
     */
    List<Tensor> run(Map<String, Tensor> given) {
        var values = new HashMap<String, Tensor>(constants);
        values.putAll(given);
        for (var node : nodes) {
            var made = computed(node, new Operands(node, values));
            for (int i = 0; i < made.size() && i < node.outputs().size(); i++)
                values.put(node.outputs().get(i), made.get(i));
        }
        var all = new ArrayList<Tensor>();
        for (var name : outputs) {
            var value = Optional.ofNullable(values.get(name));
            all.add(
                    value.orElseThrow(
                            () ->
                                    new OnnxNodeException(
                                            "the output "
                                                    + name
                                                    + " is one that its op does not give")));
        }
        return all;
    }

    private static List<Tensor> computed(OnnxNode node, Operands in) {
        var op = Objects.requireNonNull(OnnxOps.ALL.get(node.op()));
        var rule = op.rule();
        try {
            if (in.areFew(FEW) && !(op.grows() && in.asksForMore(FEW))) {
                var made = Tensors.atOnce(() -> rule.apply(node, in));
                if (made.stream().allMatch(t -> t.type().size() <= FEW)) return made;
            }
            return rule.apply(node, in);
        } catch (OnnxNodeException e) {
            throw e;
        } catch (IllegalArgumentException
                | IndexOutOfBoundsException
                | NoSuchElementException
                | ArithmeticException e) {
            throw node.refused(e.getMessage() + "; its inputs are " + in, e);
        }
    }
}
