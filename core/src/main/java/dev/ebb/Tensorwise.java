package dev.ebb;

import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * The tensors of a record, list, map or optional of tensors, nested at will: listed, named and
 * replaced. What is no tensor stays as it is.
 */
public final class Tensorwise {
    private Tensorwise() {}

    /** All tensors, in declaration order. */
    public static List<Tensor> list(Object tree) {
        return Tree.flatten(tree);
    }

    /** A path for each tensor, in the order of {@link #list}: {@code blocks.0.norm.weight}. */
    public static List<String> names(Object tree) {
        return Tree.names(tree);
    }

    /** A tree like {@code like} with other tensors. */
    public static <T> T rebuild(T like, List<? extends Tensor> tensors) {
        return Tree.unflatten(like, tensors);
    }

    public static <T> T map(T tree, UnaryOperator<Tensor> f) {
        return rebuild(tree, list(tree).stream().map(f).toList());
    }

    /** Tensor by tensor of two trees that are built alike. */
    public static <T> T map(T a, T b, BinaryOperator<Tensor> f) {
        var left = list(a);
        var right = list(b);
        if (left.size() != right.size()) {
            throw new IllegalArgumentException(
                    "trees of "
                            + left.size()
                            + " and "
                            + right.size()
                            + " tensors cannot be matched; pass two that are built alike");
        }
        var out = new ArrayList<Tensor>();
        for (int i = 0; i < left.size(); i++) out.add(f.apply(left.get(i), right.get(i)));
        return rebuild(a, out);
    }
}
