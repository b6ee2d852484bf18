package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;

/**
 * How one input of an op is rebuilt from later values. {@code op} reads the operands {@code reads}
 * of the node, its inputs numbered first and its outputs after them, and writes the input.
 *
 * @param exact whether the rebuilt value is bit-identical; an inexact inverse is used on explicit
 *     request only, and its drift is measured
 */
public record Inverse(int input, Op op, List<Integer> reads, boolean exact) {

    public Inverse {
        reads = List.copyOf(reads);
        if (reads.contains(input)) {
            throw new IllegalArgumentException(
                    ("the inverse %s reads input %s, which it is to rebuild; let it read outputs"
                                    + " and other inputs")
                            .formatted(op.name(), input));
        }
    }

    public static Inverse exact(int input, Op op, List<Integer> reads) {
        return new Inverse(input, op, reads, true);
    }

    public static Inverse approximate(int input, Op op, List<Integer> reads) {
        return new Inverse(input, op, reads, false);
    }

    /** The computation that rebuilds the input of {@code node}. */
    public Node of(Node node) {
        var operands = new ArrayList<>(node.inputs());
        operands.addAll(node.outputs());
        var from = reads.stream().map(operands::get).toList();
        var into = node.inputs().get(input);
        var types = op.infer(from.stream().map(Value::type).toList());
        if (types.size() != 1
                || types.getFirst().dtype() != into.type().dtype()
                || types.getFirst().size() != into.type().size()) {
            throw new ShapeException(
                    "the inverse %s of %s gives %s where input %s is %s"
                            .formatted(op.name(), node.op().name(), types, input, into.type()));
        }
        return new Node(op, from, List.of(into), node.region(), true);
    }
}
