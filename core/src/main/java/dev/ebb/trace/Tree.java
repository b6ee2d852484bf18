package dev.ebb.trace;

import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records, lists, maps and optionals of tensors, nested as users nest them, flattened in order and
 * put together again. Anything else in a record (numbers, strings, enums, other values) is
 * structure: it stays as it is and takes part in the question whether two trees are alike.
 */
public final class Tree {
    private static final Tensor PLACE = Array.scalar(0f);

    private Tree() {}

    /** The tensors of a tree, in declaration order; maps in the order of their keys' iteration. */
    public static List<Tensor> flatten(Object tree) {
        var leaves = new ArrayList<Tensor>();
        collect(tree, leaves);
        return List.copyOf(leaves);
    }

    private static void collect(Object tree, List<Tensor> leaves) {
        switch (tree) {
            case Tensor t -> leaves.add(t);
            case List<?> list -> list.forEach(e -> collect(e, leaves));
            case Map<?, ?> map -> map.values().forEach(e -> collect(e, leaves));
            case Optional<?> optional -> optional.ifPresent(e -> collect(e, leaves));
            case Record r -> {
                for (var c : r.getClass().getRecordComponents()) collect(read(c, r), leaves);
            }
            default -> {}
        }
    }

    /** A tree like {@code like} with other tensors. */
    @SuppressWarnings("unchecked")
    public static <T> T unflatten(T like, List<? extends Tensor> leaves) {
        var left = leaves.iterator();
        var tree = build(like, left);
        if (left.hasNext())
            throw new IllegalArgumentException("more tensors than places in " + like.getClass());
        return (T) tree;
    }

    private static Object build(Object like, Iterator<? extends Tensor> leaves) {
        return switch (like) {
            case Tensor _ -> leaves.next();
            case List<?> list -> list.stream().map(e -> build(e, leaves)).toList();
            case Map<?, ?> map -> {
                var copy = new LinkedHashMap<Object, Object>();
                map.forEach((k, v) -> copy.put(k, build(v, leaves)));
                yield copy;
            }
            case Optional<?> optional -> optional.map(e -> build(e, leaves));
            case Record r -> rebuild(r, leaves);
            default -> like;
        };
    }

    private static Object rebuild(Record like, Iterator<? extends Tensor> leaves) {
        if (flatten(like).isEmpty()) return like;
        var components = like.getClass().getRecordComponents();
        var arguments = new ArrayList<>();
        for (var c : components) arguments.add(build(read(c, like), leaves));
        var types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            var constructor = like.getClass().getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments.toArray());
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    "the constructor of "
                            + like.getClass().getName()
                            + " refuses traced tensors: "
                            + e.getCause(),
                    e);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unreadable(like.getClass(), e);
        }
    }

    private static Object read(RecordComponent component, Record record) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unreadable(record.getClass(), e);
        }
    }

    private static IllegalArgumentException unreadable(Class<?> type, Exception cause) {
        return new IllegalArgumentException(
                "cannot read or rebuild "
                        + type.getName()
                        + ": "
                        + cause
                        + "; make the record public or open its package to dev.ebb",
                cause);
    }

    /**
     * The structure of a tree without its tensors: equal for trees that differ in their tensors
     * alone.
     */
    public static Object shapeOf(Object tree) {
        return signature(unflatten(tree, flatten(tree).stream().map(_ -> PLACE).toList()));
    }

    /**
     * A name for each tensor of a tree, in the order of {@link #flatten}: {@code
     * blocks.0.attention.weight}.
     */
    public static List<String> names(Object tree) {
        var names = new ArrayList<String>();
        name(tree, "", names);
        return List.copyOf(names);
    }

    private static void name(Object tree, String path, List<String> names) {
        var prefix = path.isEmpty() ? "" : path + ".";
        switch (tree) {
            case Tensor _ -> names.add(path);
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) name(list.get(i), prefix + i, names);
            }
            case Map<?, ?> map -> map.forEach((k, v) -> name(v, prefix + k, names));
            case Optional<?> optional -> optional.ifPresent(e -> name(e, path, names));
            case Record r -> {
                for (var c : r.getClass().getRecordComponents())
                    name(read(c, r), prefix + c.getName(), names);
            }
            default -> {}
        }
    }

    /**
     * What remains of a tree without its tensors' data: equal for trees that one compiled program
     * can serve.
     */
    public static Object signature(Object tree) {
        return switch (tree) {
            case Tensor t -> t.type();
            case List<?> list -> list.stream().map(Tree::signature).toList();
            case Map<?, ?> map -> {
                var copy = new ArrayList<>();
                map.forEach((k, v) -> copy.add(List.of(k, signature(v))));
                yield copy;
            }
            case Optional<?> optional -> optional.map(Tree::signature);
            case Record r -> {
                var parts = new ArrayList<>();
                parts.add(r.getClass());
                for (var c : r.getClass().getRecordComponents()) parts.add(signature(read(c, r)));
                yield parts;
            }
            default -> tree;
        };
    }
}
