package dev.ebb;

import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * Lists, names and replaces the tensors of a record, list, map or optional of tensors, nested as
 * you like. Everything else in the tree stays unchanged.
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

    /** Applies {@code f} tensor by tensor to two trees of the same structure. */
    public static <T> T map(T a, T b, BinaryOperator<Tensor> f) {
        var left = list(a);
        var right = list(b);
        if (left.size() != right.size()) {
            throw new IllegalArgumentException(
                    "trees of %s and %s tensors cannot be matched; pass two that are built alike"
                            .formatted(left.size(), right.size()));
        }
        var out = new ArrayList<Tensor>();
        for (int i = 0; i < left.size(); i++) out.add(f.apply(left.get(i), right.get(i)));
        return rebuild(a, out);
    }

    /**
     * A table of the tensors of a model: name, type, elements and bytes of each, and the sums. A
     * tensor that occurs twice, as tied weights do, is counted once.
     */
    public static String summary(Object tree) {
        var names = names(tree);
        var tensors = list(tree);
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("name", "type", "parameters", "bytes"));
        var seen = Collections.<Tensor>newSetFromMap(new IdentityHashMap<>());
        long elements = 0;
        long bytes = 0;
        for (int i = 0; i < tensors.size(); i++) {
            var type = tensors.get(i).type();
            boolean again = !seen.add(tensors.get(i));
            if (!again) {
                elements += type.size();
                bytes += type.bytes();
            }
            rows.add(
                    List.of(
                            names.get(i),
                            type.toString(),
                            again ? "shared" : number(type.size()),
                            again ? "shared" : number(type.bytes())));
        }
        rows.add(List.of("all", seen.size() + " tensors", number(elements), number(bytes)));
        return table(rows);
    }

    private static String number(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }

    /** Two columns of words, two of numbers, each as wide as its widest cell. */
    private static String table(List<List<String>> rows) {
        var text = new StringBuilder();
        for (var row : rows) {
            for (int j = 0; j < row.size(); j++) {
                int column = j;
                int width = rows.stream().mapToInt(r -> r.get(column).length()).max().orElse(0);
                var gap = " ".repeat(width - row.get(j).length());
                text.append(j == 0 ? "" : "  ");
                text.append(j < 2 ? row.get(j) + gap : gap + row.get(j));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
