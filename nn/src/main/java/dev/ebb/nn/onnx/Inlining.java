package dev.ebb.nn.onnx;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.onnx.OnnxNode.Attribute;
import dev.ebb.tensor.Array;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;

/**
 * Inlines the functions that a model defines. The values inside a body get new names for each call,
 * and attributes that refer to the function's attributes get the call's values. In a model without
 * functions only the opset of the nodes is set.
 */
final class Inlining {
    /**
     * The most nodes: functions that each call the next one twice grow as powers of two, and a file
     * of 1 KiB can describe that.
     */
    private static final int MOST_NODES = 200_000;

    private static final int DEEPEST = 100;

    private record Key(String op, String overload) {}

    private final Path file;
    private final Map<Key, OnnxFunction> functions = new HashMap<>();
    private final SequencedSet<Key> calling = new LinkedHashSet<>();

    /** A prefix that no name in the model has. */
    private String root = "call/";

    private int count;
    private int calls;

    Inlining(Path file, List<OnnxFunction> all) throws FileFormatException {
        this.file = file;
        for (var one : all)
            if (functions.put(new Key(one.op(), one.overload()), one) != null)
                throw new FileFormatException(file, "two functions are called " + one.op());
    }

    OnnxGraph of(OnnxGraph model, long opset) throws FileFormatException {
        var names = new HashSet<String>();
        collect(model, names);
        while (names.stream().anyMatch(name -> name.startsWith(root))) root = "_" + root;
        return inside(model, new Scope("", "", opset, Map.of(), Map.of(), false));
    }

    /** Collects all names in a graph and in the graphs inside it. */
    private static void collect(OnnxGraph graph, Set<String> to) {
        to.addAll(graph.inputs());
        to.addAll(graph.constants().keySet());
        for (var node : graph.nodes()) {
            to.addAll(node.outputs());
            for (var attribute : node.attributes().values())
                attribute.graph().ifPresent(inner -> collect(inner, to));
        }
    }

    /**
     * The meaning of the names in a body.
     *
     * @param within the function and the call, as text
     * @param prefix of the names of the body's own values
     * @param names the inputs and outputs of the call, by their names in the body
     * @param attributes the call's, or the function's defaults
     * @param isCall whether the nodes are a function's
     */
    private record Scope(
            String within,
            String prefix,
            long opset,
            Map<String, String> names,
            Map<String, Attribute> attributes,
            boolean isCall) {

        String name(String own) {
            if (own.isEmpty()) return own;
            return Optional.ofNullable(names.get(own)).orElse(prefix + own);
        }

        List<String> names(List<String> own) {
            return own.stream().map(this::name).toList();
        }

        /** The scope of a graph inside a node: its own values hide outer ones of the same name. */
        Scope inside(OnnxGraph graph) {
            var left = new HashMap<>(names);
            left.keySet().removeAll(graph.inputs());
            left.keySet().removeAll(graph.constants().keySet());
            for (var node : graph.nodes()) left.keySet().removeAll(node.outputs());
            return new Scope(within, prefix, opset, left, attributes, isCall);
        }
    }

    private OnnxGraph inside(OnnxGraph graph, Scope scope) throws FileFormatException {
        var constants = new LinkedHashMap<String, Array>();
        graph.constants().forEach((name, array) -> constants.put(scope.name(name), array));
        return new OnnxGraph(
                file,
                nodes(graph.nodes(), scope),
                constants,
                scope.names(graph.inputs()),
                scope.names(graph.outputs()));
    }

    private List<OnnxNode> nodes(List<OnnxNode> all, Scope scope) throws FileFormatException {
        var made = new ArrayList<OnnxNode>();
        for (var node : all) {
            var own = own(node, scope);
            var function = Optional.ofNullable(functions.get(new Key(node.op(), node.overload())));
            if (function.isPresent()) made.addAll(body(function.get(), own));
            else made.add(own);
            if (++count > MOST_NODES)
                throw new FileFormatException(
                        file,
                        "with the bodies of its functions in place of their calls, the model has"
                                + " more than "
                                + MOST_NODES
                                + " nodes");
        }
        return List.copyOf(made);
    }

    /** A node with the names and attributes that it has after inlining. */
    private OnnxNode own(OnnxNode node, Scope scope) throws FileFormatException {
        var attributes = new LinkedHashMap<String, Attribute>();
        for (var entry : node.attributes().entrySet()) {
            var value = referred(node, entry.getValue(), scope);
            if (value.isEmpty()) continue;
            var graph = value.get().graph();
            // an attribute value from the call already has the right names
            boolean given = entry.getValue().reference().isPresent();
            attributes.put(
                    entry.getKey(),
                    graph.isEmpty() || given
                            ? value.get()
                            : value.get().with(inside(graph.get(), scope.inside(graph.get()))));
        }
        return new OnnxNode(
                node.place(),
                scope.within(),
                node.name(),
                node.op(),
                node.overload(),
                scope.names(node.inputs()),
                scope.names(node.outputs()),
                Map.copyOf(attributes),
                scope.opset());
    }

    /** An attribute's value; empty if it refers to one that neither call nor function has. */
    private Optional<Attribute> referred(OnnxNode node, Attribute own, Scope scope)
            throws FileFormatException {
        if (own.reference().isEmpty()) return Optional.of(own);
        if (!scope.isCall())
            throw new FileFormatException(
                    file,
                    String.valueOf(
                            node.refused(
                                            "an attribute refers to that of a function, "
                                                    + own.reference().get()
                                                    + ", and the node is in none")
                                    .getMessage()));
        return Optional.ofNullable(scope.attributes().get(own.reference().get()));
    }

    private List<OnnxNode> body(OnnxFunction function, OnnxNode call) throws FileFormatException {
        var key = new Key(function.op(), function.overload());
        if (calling.size() == DEEPEST)
            throw call.refusedIn(file, "it is a function inside " + DEEPEST + " others");
        if (!calling.add(key)) throw call.refusedIn(file, "the function calls itself");
        if (call.inputs().size() > function.inputs().size()
                || call.outputs().size() > function.outputs().size())
            throw call.refusedIn(
                    file,
                    "it has "
                            + call.inputs().size()
                            + " inputs and "
                            + call.outputs().size()
                            + " outputs, and the function of the model takes "
                            + function.inputs()
                            + " and gives "
                            + function.outputs());
        var names = new HashMap<String, String>();
        for (int i = 0; i < function.inputs().size(); i++)
            names.put(
                    function.inputs().get(i), i < call.inputs().size() ? call.inputs().get(i) : "");
        var after = new ArrayList<OnnxNode>();
        for (int i = 0; i < call.outputs().size(); i++) {
            var to = call.outputs().get(i);
            var from = function.outputs().get(i);
            if (to.isEmpty()) continue;
            // an output that is also an input, or that occurs twice, is copied
            if (names.containsKey(from)) after.add(copy(call, names.get(from), to));
            else names.put(from, to);
        }
        var attributes = new HashMap<>(function.defaults());
        attributes.putAll(call.attributes());
        var within =
                " of the function "
                        + function.op()
                        + ", called by node "
                        + call.place()
                        + call.within()
                        + (call.name().isEmpty() ? "" : ", " + call.name());
        var prefix = root + calls++ + "/";
        var scope = new Scope(within, prefix, function.opset(), names, attributes, true);
        var made = new ArrayList<>(nodes(function.nodes(), scope));
        made.addAll(after);
        calling.remove(key);
        return made;
    }

    private static OnnxNode copy(OnnxNode call, String from, String to) {
        return new OnnxNode(
                call.place(),
                call.within(),
                call.name(),
                "Identity",
                "",
                List.of(from),
                List.of(to),
                Map.of(),
                call.opset());
    }
}
