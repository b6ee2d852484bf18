package dev.ebb.nn.onnx;

import dev.ebb.nn.onnx.Datum.Known;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The inputs of one op. */
final class Operands {
    private final OnnxNode node;
    private final List<Datum> all = new ArrayList<>();
    private final List<Boolean> there = new ArrayList<>();

    Operands(OnnxNode node, Map<String, Datum> values) {
        this.node = node;
        for (var name : node.inputs()) {
            var value = values.get(name);
            there.add(value != null);
            all.add(value == null ? Known.of() : value);
        }
    }

    int size() {
        return all.size();
    }

    boolean has(int i) {
        return i < all.size() && there.get(i);
    }

    Datum get(int i) {
        if (has(i)) return all.get(i);
        throw node.refused("its input " + i + " is left out");
    }

    Tensor tensor(int i) {
        return get(i).tensor();
    }

    /** Input {@code i} as numbers that are known before the model runs. */
    List<Integer> known(int i) {
        if (get(i) instanceof Known(var _, var numbers))
            return numbers.stream().map(Operands::bounded).toList();
        throw node.refused("its input " + i + " depends on data, where a shape must be known");
    }

    /** Ends of slices are often the largest number there is. */
    private static int bounded(long n) {
        return Math.clamp(n, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** Whether all inputs are known numbers. */
    boolean allKnown() {
        return !all.isEmpty() && all.stream().allMatch(d -> d instanceof Known);
    }

    Known knownAt(int i) {
        if (get(i) instanceof Known known) return known;
        throw node.refused("its input " + i + " depends on data");
    }
}
