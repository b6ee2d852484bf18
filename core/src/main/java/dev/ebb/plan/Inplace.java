package dev.ebb.plan;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * When a kernel may write an output over one of its inputs: every element is read last where it is
 * written.
 */
public final class Inplace {
    private Inplace() {}

    public static boolean allowed(Node node, Value from, Value into) {
        if (from.type().bytes() != into.type().bytes() || from.type().size() != into.type().size())
            return false;
        return switch (node.kernel()) {
            case Kernel.Map map -> identity(node.inputs(), map.operands(), from, map.shape());
            // the factors are read all over while the output is written; an extra where it is read
            case Kernel.Contract k ->
                    node.inputs().subList(0, 2).stream().noneMatch(from::equals)
                            && identity(
                                    node.inputs().subList(2, node.inputs().size()),
                                    k.extras(),
                                    from,
                                    output(k));
            case Kernel.Fold _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Control _,
                    Kernel.Library _ ->
                    false;
        };
    }

    private static Shape output(Kernel.Contract k) {
        var dims = new ArrayList<>(k.batch().dims());
        dims.add(k.m());
        dims.add(k.n());
        return new Shape(dims);
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
