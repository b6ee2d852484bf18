package dev.ebb.nn.onnx;

import dev.ebb.Fn2;
import dev.ebb.Tensorwise;
import dev.ebb.ir.Graph;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.nn.onnx.export.FormWriter;
import dev.ebb.nn.onnx.export.GraphWriter;
import dev.ebb.nn.onnx.export.GraphWriter.Named;
import dev.ebb.nn.onnx.export.NotExportableException;
import dev.ebb.nn.onnx.wire.ProtobufWriter;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Exports a function as an ONNX model (opset 17) for other runtimes. The function is traced for
 * inputs of the given types, and every op becomes nodes according to its kernel form. An op that
 * ONNX cannot express, such as a random draw, is refused by name.
 */
public final class OnnxExport {
    private OnnxExport() {}

    /**
     * Writes {@code f} of {@code model} to {@code file}.
     *
     * @param inputs names and types of the inputs of {@code f}
     * @param f returns the outputs, which are named output.0, output.1 ...
     */
    public static <M> void write(
            Path file,
            M model,
            SequencedMap<String, Type> inputs,
            Fn2<M, List<Tensor>, List<Tensor>> f)
            throws IOException {
        var whole = model(model, inputs, f);
        if (whole.size() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the model takes "
                            + whole.size()
                            + " bytes, and a file of ONNX holds 2 GiB; round its weights to bf16");
        }
        AtomicFile.write(file, whole::writeTo);
    }

    private static <M> ProtobufWriter model(
            M model, SequencedMap<String, Type> inputs, Fn2<M, List<Tensor>, List<Tensor>> f) {
        var weights = Tensorwise.list(model);
        var builder = new Graph.Builder();
        var params = new ArrayList<Value>();
        for (var weight : weights) params.add(builder.param(weight.type()));
        for (var type : inputs.values()) params.add(builder.param(type));
        var arrays = new ArrayList<>(weights);
        var traced =
                Recording.into(
                        builder,
                        recording -> {
                            var all = params.stream().map(recording::tensor).toList();
                            var own = all.subList(0, weights.size());
                            var fed = all.subList(weights.size(), all.size());
                            var made = f.apply(Tensorwise.rebuild(model, own), fed);
                            var results =
                                    made.stream().map(t -> recording.value(t, "export")).toList();
                            arrays.addAll(recording.captured());
                            return builder.build(results);
                        });
        return written(traced, Tensorwise.names(model), inputs, arrays);
    }

    /**
     * @param arrays the weights, then the arrays that the function captures
     */
    private static ProtobufWriter written(
            Graph traced,
            List<String> weights,
            SequencedMap<String, Type> inputs,
            List<Tensor> arrays) {
        var graph = new GraphWriter();
        var values = new HashMap<Value, Named>();
        var used = traced.nodes().stream().flatMap(n -> n.inputs().stream()).toList();
        var names = new ArrayList<>(inputs.keySet());
        for (int i = 0; i < traced.params().size(); i++) {
            var value = traced.params().get(i);
            int fed = i - weights.size();
            if (fed >= 0 && fed < names.size()) {
                var type = value.type();
                var input = new Named(names.get(fed), type.dtype(), type.shape());
                graph.input(input);
                values.put(value, input);
                continue;
            }
            if (!used.contains(value) && !traced.results().contains(value)) continue;
            boolean weight = fed < 0;
            var array = arrays.get(weight ? i : i - names.size());
            var name = weight ? weights.get(i) : "constant." + (fed - names.size());
            values.put(value, graph.constant(name, (Array) array));
        }
        var forms = new FormWriter(graph);
        for (var node : traced.nodes()) {
            try {
                var in = node.inputs().stream().map(v -> made(values, v)).toList();
                var out = forms.write(node, in);
                for (int i = 0; i < out.size(); i++) values.put(node.outputs().get(i), out.get(i));
            } catch (NotExportableException | OnnxNodeException | ShapeException e) {
                throw new IllegalArgumentException(
                        node.op().name() + " cannot be written as ONNX: " + e.getMessage(), e);
            }
        }
        for (int i = 0; i < traced.results().size(); i++)
            graph.output("output." + i, made(values, traced.results().get(i)));
        return graph.model();
    }

    private static Named made(Map<Value, Named> values, Value value) {
        return Optional.ofNullable(values.get(value))
                .orElseThrow(() -> new OnnxNodeException("it reads an output that ONNX has not"));
    }
}
