package dev.ebb.nn.onnx;

import dev.ebb.tensor.Tensor;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** ONNX ops by name, each with the rule that expresses it in Ebb's ops. */
final class OpTable {
    private final Map<String, Entry> all = new HashMap<>();

    /** Computes the outputs of a node. */
    @FunctionalInterface
    interface Rule {
        List<Tensor> apply(OnnxNode node, Operands in);
    }

    /**
     * @param since the first opset whose definition of the op the rule implements
     * @param grows whether its last input determines the size of its result, absolutely or as a
     *     factor
     */
    record Entry(long since, boolean grows, Rule rule) {}

    OpTable many(String name, long since, Rule rule) {
        all.put(name, new Entry(since, false, rule));
        return this;
    }

    /** An op with one output. */
    OpTable one(String name, long since, BiFunction<OnnxNode, Operands, Tensor> rule) {
        return many(name, since, (node, in) -> List.of(rule.apply(node, in)));
    }

    /** An op with one output, whose size its last input determines. */
    OpTable growing(String name, long since, BiFunction<OnnxNode, Operands, Tensor> rule) {
        all.put(name, new Entry(since, true, (node, in) -> List.of(rule.apply(node, in))));
        return this;
    }

    /** An op of one tensor, without attributes. */
    OpTable unary(String name, long since, UnaryOperator<Tensor> rule) {
        return one(name, since, (_, in) -> rule.apply(in.tensor(0)));
    }

    /** An op of two tensors, without attributes. */
    OpTable binary(String name, long since, BinaryOperator<Tensor> rule) {
        return one(name, since, (_, in) -> rule.apply(in.tensor(0), in.tensor(1)));
    }

    Map<String, Entry> entries() {
        return Collections.unmodifiableMap(all);
    }
}
