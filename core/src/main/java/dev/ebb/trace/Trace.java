package dev.ebb.trace;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.function.Function;

/**
 * A traced function: its graph, and the captured tensors, which are the values of the graph's last
 * parameters.
 */
public record Trace(Graph graph, List<Tensor> captured) {

    public Trace {
        captured = List.copyOf(captured);
    }

    public static Trace of(Function<List<Tensor>, List<Tensor>> function, List<Type> types) {
        var g = new Graph.Builder();
        var params = types.stream().map(g::param).toList();
        return Recording.into(
                g,
                r -> {
                    var results = function.apply(params.stream().map(r::tensor).toList());
                    var values = results.stream().map(t -> r.value(t, "the result")).toList();
                    return new Trace(g.build(values), r.captured());
                });
    }
}
