package dev.ebb.cli.option;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Table;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * A graph of which only costs and sizes are known, which can be planned but not run. Every node
 * must be computed, and no value is needed at the end. Nodes are in an executable order.
 */
public record BareGraph(List<Item> items) {

    /** A node: its cost, the bytes of its output, and the nodes whose outputs it reads. */
    public record Item(
            long id, String name, boolean backward, double cost, long bytes, List<Long> inputs) {
        public Item {
            inputs = List.copyOf(inputs);
            if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("node " + id + " has cost " + cost);
            }
            if (bytes < 0)
                throw new IllegalArgumentException("node " + id + " has " + bytes + " bytes");
        }
    }

    public BareGraph {
        items = List.copyOf(items);
        var known = new HashSet<Long>();
        for (Item item : items) {
            for (long x : item.inputs) {
                if (!known.contains(x)) {
                    throw new IllegalArgumentException(
                            "node " + item.id + " reads node " + x + ", which does not precede it");
                }
            }
            if (!known.add(item.id))
                throw new IllegalArgumentException("node " + item.id + " is there twice");
        }
    }

    /**
     * Parses either of two published formats: nodes with {@code id, cost_cpu, cost_ram} and links
     * from {@code source} to {@code target}, in the order of their ids; or nodes with {@code name,
     * duration, out_cost} and links from {@code "0"} to {@code "1"}, in the order of {@code
     * graph.order}.
     */
    public static BareGraph parse(String text) {
        var json = json(text);
        Map<Long, List<Long>> inputs = new HashMap<>();
        for (Json link : items(need(json, "links", "the graph"), "links")) {
            boolean named = link.at("source").isPresent();
            long from = whole(need(link, named ? "source" : "0", "a link"), "a link's source");
            long to = whole(need(link, named ? "target" : "1", "a link"), "a link's target");
            inputs.computeIfAbsent(to, _ -> new ArrayList<>()).add(from);
        }
        Map<Long, Item> byId = new HashMap<>();
        var ids = new ArrayList<Long>();
        for (Json node : items(need(json, "nodes", "the graph"), "nodes")) {
            var item = item(node, inputs);
            if (byId.put(item.id, item) != null) {
                throw new IllegalArgumentException("node " + item.id + " is there twice");
            }
            ids.add(item.id);
        }
        Collections.sort(ids);
        var order = json.at("graph").flatMap(g -> g.at("order"));
        if (order.isPresent()) {
            ids.clear();
            for (Json id : items(order.get(), "graph.order")) ids.add(whole(id, "graph.order"));
        }
        return new BareGraph(inOrder(ids, byId));
    }

    /** The graph in a file; errors name the file. */
    public static BareGraph read(Path file) throws IOException {
        if (Files.isDirectory(file)) throw new Refusal(file + " is a folder; name a graph's file");
        try {
            return parse(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new Refusal(file + ": not JSON: the file is not text", e);
        } catch (IllegalArgumentException e) {
            throw new Refusal(file + ": " + e.getMessage(), e);
        }
    }

    private static Json json(String text) {
        try {
            return Json.parse(text);
        } catch (FileFormatException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static List<Json> items(Json json, String name) {
        if (json instanceof Json.Arr(var items)) return items;
        throw new IllegalArgumentException(name + " should be a JSON array");
    }

    private static long whole(Json json, String name) {
        return json.whole()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        name + " should be a whole number, not " + json));
    }

    private static Item item(Json node, Map<Long, List<Long>> inputs) {
        boolean checkmate = node.at("id").isPresent();
        long id = whole(need(node, checkmate ? "id" : "name", "a node"), "a node's id");
        double cost =
                need(node, checkmate ? "cost_cpu" : "duration", "node " + id)
                        .number()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "the cost of node " + id + " should be a number"));
        long bytes =
                whole(
                        need(node, checkmate ? "cost_ram" : "out_cost", "node " + id),
                        "the size of node " + id);
        return new Item(
                id,
                node.at("name").flatMap(Json::text).orElse("node " + id),
                node.at("backward").flatMap(Json::truth).orElse(false),
                cost,
                bytes,
                inputs.getOrDefault(id, List.of()));
    }

    private static List<Item> inOrder(List<Long> ids, Map<Long, Item> byId) {
        var left = new HashMap<>(byId);
        var items = new ArrayList<Item>();
        for (long id : ids) {
            var item = left.remove(id);
            if (item == null)
                throw new IllegalArgumentException(
                        "graph.order names node " + id + " twice or wrongly");
            items.add(item);
        }
        if (!left.isEmpty()) {
            throw new IllegalArgumentException("graph.order leaves out nodes " + left.keySet());
        }
        return items;
    }

    private static Json need(Json json, String name, String where) {
        return json.at(name)
                .orElseThrow(
                        () -> new IllegalArgumentException(where + " has no \"" + name + "\""));
    }

    /** The problem of planning this graph; sizes are exact, without alignment. */
    public Problem problem() {
        var outputs = new Table<Long, Value>();
        var bytes = new Table<Value, Long>();
        var nodes = new ArrayList<Node>();
        for (Item item : items) {
            var output = new Value(nodes.size(), Opaque.TYPE);
            var inputs = item.inputs.stream().distinct().map(outputs::at).toList();
            nodes.add(
                    new Node(new Opaque(item), inputs, List.of(output), Region.TOP, item.backward));
            outputs.put(item.id, output);
            bytes.put(output, item.bytes);
        }
        return new Problem(new Graph(List.of(), nodes, List.of()), List.of(), bytes::at);
    }

    /** The cost of the nodes of {@link #problem}. */
    public static Cost cost() {
        return node -> item(node).cost;
    }

    /** The item of a node of {@link #problem}. */
    public static Item item(Node node) {
        if (node.op() instanceof Opaque(var item)) return item;
        throw new IllegalArgumentException(node + " is not a node of a bare graph");
    }

    /** An op with a cost and a size, but without a computation. */
    private record Opaque(Item item) implements Op {
        static final Type TYPE = Type.of(DType.U8);

        @Override
        public String name() {
            return item.name;
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return List.of(TYPE);
        }

        /**
         * A kernel that supports no update in place, because a bare graph does not say how its
         * nodes read their inputs.
         */
        @Override
        public Kernel kernel(List<Type> inputs) {
            return new Kernel.Cumulate(1, 1, 1, Kernel.Combine.SUM, false, false);
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new UnsupportedOperationException("a bare graph has no derivative");
        }
    }
}
