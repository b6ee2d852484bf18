package dev.ebb.cli.studio;

import dev.ebb.exec.Category;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The graph of a model as the page draws it: values and nodes have numbers, regions are an indexed
 * list. The parameters are numbered first, then the results of the nodes in the graph's order.
 */
final class ModelGraph {
    private final Problem problem;
    private final List<Value> values = new ArrayList<>();
    private final Map<Value, Integer> places = new HashMap<>();
    private final Map<Node, Integer> nodes = new HashMap<>();
    private final Map<Value, Node> makers = new HashMap<>();
    private final List<String> names;
    private final long storeAll;

    ModelGraph(Plan plan, List<String> names) {
        this.names = List.copyOf(names);
        storeAll = plan.storeAllBytes();
        problem = plan.schedule().problem();
        var graph = problem.graph();
        graph.params().forEach(this::number);
        for (Node node : graph.nodes()) {
            nodes.put(node, nodes.size());
            node.outputs().forEach(v -> number(v, node));
        }
        // other operands of an inverse, such as workspace, have no number in the graph
        for (var inversion : problem.inversions()) inversion.node().outputs().forEach(this::number);
    }

    private void number(Value value, Node maker) {
        number(value);
        makers.put(value, maker);
    }

    private void number(Value value) {
        if (places.putIfAbsent(value, values.size()) == null) values.add(value);
    }

    int place(Value value) {
        return places.getOrDefault(value, -1);
    }

    int place(Node node) {
        return nodes.getOrDefault(node, -1);
    }

    Problem problem() {
        return problem;
    }

    Value value(long place) {
        if (place < 0 || place >= values.size())
            throw RequestError.wrong("there is no value of number " + place);
        return values.get((int) place);
    }

    Json json() {
        var regions = new LinkedHashMap<String, Integer>();
        var categories = Category.of(problem);
        var rows = new ArrayList<Json>();
        for (int i = 0; i < values.size(); i++) rows.add(value(i, categories));
        var drawn = new ArrayList<Json>();
        for (Node node : problem.graph().nodes()) drawn.add(node(node, regions));
        var all = new LinkedHashMap<String, Json>();
        all.put("values", Json.of(rows));
        all.put("nodes", Json.of(drawn));
        all.put("regions", Json.of(regions.keySet().stream().map(Json::of).toList()));
        var kinds = new ArrayList<Json>();
        for (var category : Category.values())
            kinds.add(Json.of(category.name().toLowerCase(Locale.ROOT)));
        all.put("categories", Json.of(kinds));
        all.put("storeAll", Json.of(storeAll));
        return Json.of(all);
    }

    private Json value(int place, Table<Value, Category> categories) {
        var v = values.get(place);
        boolean param = place < problem.graph().params().size();
        var maker = makers.get(v);
        return Json.of(
                List.of(
                        Json.of(v.toString()),
                        Json.of(
                                param
                                        ? place < names.size() ? names.get(place) : "input"
                                        : maker == null ? "workspace" : maker.op().name()),
                        Json.of(v.type().toString()),
                        Json.of(problem.bytes(v)),
                        Json.of(categories.has(v) ? categories.at(v).ordinal() : 0),
                        Json.of(maker == null ? -1 : place(maker))));
    }

    private Json node(Node node, Map<String, Integer> regions) {
        var path = node.region().isTop() ? "(step)" : node.region().toString();
        int region = regions.computeIfAbsent(path, _ -> regions.size());
        return Json.of(
                List.of(
                        Json.of(node.op().name()),
                        Json.of(region),
                        Json.of(node.reverse() ? 1 : 0),
                        places(node.inputs()),
                        places(node.outputs())));
    }

    private Json places(List<Value> list) {
        return Json.of(list.stream().distinct().map(v -> Json.of(place(v))).toList());
    }
}
