package dev.ebb.nn.onnx;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.onnx.wire.Protobuf;
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
import java.util.SequencedMap;

/**
 * An ONNX model as a function of its weights and inputs: it can be run, planned within a budget,
 * and differentiated with respect to its weights. An op that is not implemented is refused when the
 * model is loaded, with its position.
 */
public final class OnnxModel {
    private final Path file;
    private final OnnxGraph graph;

    private OnnxModel(Path file, OnnxGraph graph) {
        this.file = file;
        this.graph = graph;
    }

    /** Reads a .onnx file, which is memory-mapped during the call. */
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
        OnnxGraph graph = null;
        var functions = new ArrayList<OnnxFunction>();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 7 -> graph = OnnxGraph.read(file, in.inside());
                case 8 -> opset = Math.max(opset, opset(in.inside()));
                case 25 -> functions.add(OnnxFunction.read(file, in.inside()));
                default -> {}
            }
        }
        if (graph == null) throw new FileFormatException(file, "not ONNX: it has no graph");
        var whole = new Inlining(file, functions).of(graph, opset);
        whole.check(new HashSet<>());
        return new OnnxModel(file, whole);
    }

    /** The version of the standard's ops in an import; 0 for other domains. */
    static long opset(Protobuf in) throws FileFormatException {
        var domain = "";
        long version = 0;
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field == 1) domain = in.text();
            if (field == 2) version = in.whole();
        }
        return domain.isEmpty() || domain.equals("ai.onnx") ? version : 0;
    }

    /** The names of the inputs, in order. */
    public List<String> inputs() {
        return graph.inputs();
    }

    public List<String> outputs() {
        return graph.outputs();
    }

    /**
     * The trainable weights: the float initialisers by name, except the running statistics of batch
     * norms. An initialiser of one element is a constant of a formula, such as an exponent, and is
     * not a weight.
     */
    public SequencedMap<String, Tensor> weights() {
        var statistics = new HashSet<String>();
        for (var node : graph.nodes())
            if (node.op().equals("BatchNormalization"))
                node.inputs().stream().skip(3).forEach(statistics::add);
        var all = new LinkedHashMap<String, Tensor>();
        graph.constants()
                .forEach(
                        (name, array) -> {
                            boolean floats = array.dtype().isFloat() && array.type().size() > 1;
                            if (floats && !statistics.contains(name)) all.put(name, array);
                        });
        return all;
    }

    /** The outputs for these inputs, with the weights of the file. */
    public List<Tensor> apply(List<? extends Tensor> fed) {
        return apply(weights(), fed);
    }

    /** The outputs for these inputs, with other weights. */
    public List<Tensor> apply(Map<String, Tensor> weights, List<? extends Tensor> fed) {
        if (fed.size() != inputs().size()) {
            throw new IllegalArgumentException(
                    fed.size() + " inputs; the model takes " + inputs().size() + ": " + inputs());
        }
        var values = new HashMap<>(weights);
        for (int i = 0; i < fed.size(); i++) values.put(inputs().get(i), fed.get(i));
        try {
            return graph.run(values);
        } catch (OnnxNodeException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }
}
