package dev.ebb.trace;

import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Flattens trees of tensors (in JAX, pytrees) to lists, and builds them again. A tree may consist
 * of:
 *
 * <ul>
 *   <li>tensors;
 *   <li>records, lists, maps, optionals and arrays ({@code Tensor[]}, {@code Tensor[][]}, arrays of
 *       records) of trees, and Kotlin data classes: classes whose fields are all components, with
 *       {@code component1()}, {@code component2()} and so on and a constructor that takes them;
 *   <li>structure: numbers, truth values, strings, enums, dates, arrays of primitives, objects
 *       without fields, and lambdas that capture structure alone. It stays as it is and takes part
 *       in the question whether two trees are alike.
 * </ul>
 *
 * Anything else is refused by name, and so is null: an object of an unknown class might contain a
 * tensor.
 */
public final class Tree {
    private static final Tensor PLACE = Array.scalar(0f);

    private Tree() {}

    /**
     * The tensors of a tree, in declaration order; maps in their own order or, if they have none,
     * in that of their keys.
     */
    public static List<Tensor> flatten(Object tree) {
        var leaves = new ArrayList<Tensor>();
        visit(tree, "", (_, tensor) -> leaves.add(tensor));
        return List.copyOf(leaves);
    }

    /**
     * A name for each tensor of a tree, in the order of {@link #flatten}: {@code
     * blocks.0.attention.weight}.
     */
    public static List<String> names(Object tree) {
        var names = new ArrayList<String>();
        visit(tree, "", (name, _) -> names.add(name));
        return List.copyOf(names);
    }

    private interface Visitor {
        void leaf(String name, Tensor tensor);
    }

    private static void visit(Object tree, String path, Visitor visitor) {
        switch (level(tree, path)) {
            case TreeNode.Leaf(var tensor) -> visitor.leaf(path, tensor);
            case TreeNode.Fixed _ -> {}
            case TreeNode.Inner inner -> {
                for (int i = 0; i < inner.parts().size(); i++)
                    visit(inner.parts().get(i), within(path, inner.names().get(i)), visitor);
            }
        }
    }

    private static String within(String path, String name) {
        return path.isEmpty() ? name : name.isEmpty() ? path : path + "." + name;
    }

    private static TreeNode level(Object tree, String path) {
        if (tree == null)
            throw new IllegalArgumentException(
                    (path.isEmpty() ? "the argument or result" : path)
                            + " is null; where there may be nothing, use an Optional");
        try {
            return TreeNode.of(tree);
        } catch (IllegalArgumentException e) {
            if (path.isEmpty()) throw e;
            throw new IllegalArgumentException("at " + path + ": " + e.getMessage(), e);
        }
    }

    /** A tree with the structure of {@code like} and other tensors. */
    @SuppressWarnings("unchecked")
    public static <T> T unflatten(T like, List<? extends Tensor> leaves) {
        var left = leaves.iterator();
        var tree = build(like, left);
        if (left.hasNext())
            throw new IllegalArgumentException("more tensors than places in " + like.getClass());
        return (T) tree;
    }

    private static Object build(Object like, Iterator<? extends Tensor> leaves) {
        return switch (level(like, "")) {
            case TreeNode.Leaf _ -> leaves.next();
            case TreeNode.Fixed _ -> like;
            case TreeNode.Inner inner ->
                    inner.with(
                            inner.parts().stream().map(part -> build(part, leaves)).toList(), like);
        };
    }

    /**
     * The structure of a tree without its tensors: equal for trees that differ in their tensors
     * alone.
     */
    public static Object shapeOf(Object tree) {
        return signature(tree, _ -> PLACE.type(), UnaryOperator.identity());
    }

    /**
     * The structure of a tree with the types of its tensors: equal for trees that the same compiled
     * program accepts.
     */
    public static Object signature(Object tree) {
        return signature(tree, Tensor::type, UnaryOperator.identity());
    }

    /** As {@link #signature}, without the values of the numbers in it. */
    public static Object numberless(Object tree) {
        return signature(tree, Tensor::type, x -> Structure.isNumber(x) ? x.getClass() : x);
    }

    private static Object signature(
            Object tree,
            java.util.function.Function<Tensor, Object> leaf,
            UnaryOperator<Object> structure) {
        return switch (level(tree, "")) {
            case TreeNode.Leaf(var tensor) -> leaf.apply(tensor);
            case TreeNode.Fixed(var content) -> structure.apply(content);
            case TreeNode.Inner inner -> {
                var parts = new ArrayList<>();
                parts.add(inner.kind());
                for (Object part : inner.parts()) parts.add(signature(part, leaf, structure));
                yield parts;
            }
        };
    }
}
