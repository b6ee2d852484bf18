package dev.ebb.plan.schedule;

import dev.ebb.ir.Control;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether a kernel may write an output over one of its inputs: it may if no element is read after
 * it was overwritten.
 */
public final class Inplace {
    private Inplace() {}

    public static boolean allowed(Node node, Value from, Value into) {
        if (from.type().bytes() != into.type().bytes() || from.type().size() != into.type().size())
            return false;
        return switch (node.kernel()) {
            case Kernel.Map map -> identity(node.inputs(), map.operands(), from, map.shape());
            case Kernel.Rows k ->
                    isElements(k, node.outputs().indexOf(into))
                            && identity(node.inputs(), k.operands(), from, k.shape());
            case Kernel.Assemble k -> k.isUpdate() && updates(node, from);
            case Kernel.Scatter k -> k.isUpdate() && updates(node, from);
            // every element of the factors is read many times while the output is written; an extra
            // only at the index that is written
            case Kernel.Contract k ->
                    node.inputs().subList(0, 2).stream().noneMatch(from::equals)
                            && identity(
                                    node.inputs().subList(2, node.inputs().size()),
                                    k.extras(),
                                    from,
                                    k.shape());
            case DecodingContract k ->
                    k.extras(node.inputs()).contains(from)
                            && node
                                    .inputs()
                                    .subList(
                                            0,
                                            node.inputs().size() - k.extras(node.inputs()).size())
                                    .stream()
                                    .noneMatch(from::equals)
                            && identity(
                                    k.extras(node.inputs()),
                                    k.product().extras(),
                                    from,
                                    k.product().shape());
            case Kernel.Library k ->
                    k.passesFirst()
                            && updates(node, from)
                            && node.outputs().getFirst().equals(into);
            case Kernel.Fold _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Control _ ->
                    false;
        };
    }

    /** Whether an output has the elements of the rows; outputs after the results are workspace. */
    private static boolean isElements(Kernel.Rows k, int output) {
        return output < k.results().size() && k.results().get(output) instanceof RowParts.Elements;
    }

    private static boolean updates(Node node, Value from) {
        return node.inputs().getFirst().equals(from)
                && node.inputs().stream().filter(from::equals).count() == 1;
    }

    /**
     * The values that take the memory of {@code param} one after the other so that {@code result}
     * ends up there, from the result back to the one that overwrites the parameter. Empty if that
     * is impossible.
     */
    public static List<Value> chain(List<Node> nodes, Value param, Value result) {
        var producer = new Table<Value, Node>();
        for (Node node : nodes) for (Value v : node.outputs()) producer.put(v, node);
        var chain = new ArrayList<Value>();
        return reach(producer, param, result, chain, new HashSet<>()) ? chain : List.of();
    }

    private static boolean reach(
            Table<Value, Node> producer,
            Value param,
            Value into,
            List<Value> chain,
            Set<Value> tried) {
        var node = producer.find(into);
        if (node.isEmpty() || !tried.add(into)) return false;
        chain.add(into);
        if (allowed(node.get(), param, into)) return true;
        for (Value x : node.get().inputs()) {
            if (allowed(node.get(), x, into) && reach(producer, param, x, chain, tried))
                return true;
        }
        chain.removeLast();
        return false;
    }

    private static boolean identity(List<Value> inputs, List<View> views, Value from, Shape shape) {
        boolean read = false;
        for (int i = 0; i < views.size(); i++) {
            if (!inputs.get(i).equals(from)) continue;
            if (!views.get(i).isContiguous(shape) || shape.size() != from.type().size())
                return false;
            read = true;
        }
        return read;
    }
}
