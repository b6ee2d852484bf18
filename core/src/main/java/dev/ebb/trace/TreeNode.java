package dev.ebb.trace;

import dev.ebb.tensor.Tensor;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A node of a tree: a tensor, a static value, or parts that are trees themselves. */
sealed interface TreeNode {

    record Leaf(Tensor tensor) implements TreeNode {}

    /** A static value; {@code content} is equal for equal values. */
    record Fixed(Object content) implements TreeNode {}

    /**
     * A node with parts, in order.
     *
     * @param kind equal for nodes that are built in the same way
     * @param names the names of the parts; an empty name adds nothing to the path
     * @param rebuild makes the same node from other parts
     */
    record Inner(
            Object kind,
            List<String> names,
            List<Object> parts,
            Function<List<Object>, Object> rebuild)
            implements TreeNode {

        /** {@code whole}, which is this node, with other parts. */
        @SuppressWarnings("ReferenceEquality") // an equal tensor is still another tensor
        Object with(List<Object> others, Object whole) {
            for (int i = 0; i < parts.size(); i++)
                if (parts.get(i) != others.get(i)) return rebuild.apply(others);
            return whole;
        }
    }

    /**
     * The outermost node of {@code tree}, or an {@link IllegalArgumentException} that names the
     * supported classes.
     */
    static TreeNode of(Object tree) {
        return switch (tree) {
            case Tensor t -> new Leaf(t);
            case List<?> list -> list(list);
            case Map<?, ?> map -> map(map);
            case Optional<?> optional -> optional(optional);
            case Object[] array -> array(array);
            case Record r -> ComponentClass.of(r.getClass()).level(r);
            default ->
                    Structure.content(tree)
                            .<TreeNode>map(Fixed::new)
                            .orElseGet(() -> ComponentClass.of(tree.getClass()).level(tree));
        };
    }

    private static TreeNode list(List<?> list) {
        return new Inner(List.class, numbers(list.size()), parts(list), parts -> like(list, parts));
    }

    /** A function may ask for one of these classes; for any other list it asks for a List. */
    @SuppressWarnings("JdkObsolete") // the caller's choice
    private static List<Object> like(List<?> list, List<Object> parts) {
        if (list.getClass() == ArrayList.class) return new ArrayList<>(parts);
        return list.getClass() == LinkedList.class ? new LinkedList<>(parts) : List.copyOf(parts);
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    /** The parts, which may contain null; that is refused when the part is visited. */
    private static List<Object> parts(Iterable<?> of) {
        var parts = new ArrayList<Object>();
        for (Object part : of) parts.add(part);
        return parts;
    }

    private static TreeNode optional(Optional<?> optional) {
        var parts = optional.<List<Object>>map(List::of).orElse(List.of());
        return new Inner(
                Optional.class,
                parts.stream().map(_ -> "").toList(),
                parts,
                others -> others.stream().findFirst());
    }

    private static TreeNode array(Object[] array) {
        var element = array.getClass().getComponentType();
        return new Inner(
                array.getClass(),
                numbers(array.length),
                parts(java.util.Arrays.asList(array)),
                others -> {
                    var copy = (Object[]) Array.newInstance(element, others.size());
                    for (int i = 0; i < copy.length; i++) {
                        if (!element.isInstance(others.get(i)))
                            throw new IllegalArgumentException(
                                    "an array of "
                                            + element.getName()
                                            + " cannot hold a tensor that is being traced; make it"
                                            + " a Tensor[]");
                        copy[i] = others.get(i);
                    }
                    return copy;
                });
    }

    private static TreeNode map(Map<?, ?> map) {
        var keys = keys(map);
        var contents = new ArrayList<Object>();
        for (Object key : keys) contents.add(keyContent(key));
        return new Inner(
                contents,
                keys.stream().map(String::valueOf).toList(),
                parts(keys.stream().<Object>map(map::get).collect(Collectors.toList())),
                others -> {
                    var copy = emptyLike(map);
                    for (int i = 0; i < keys.size(); i++) copy.put(keys.get(i), others.get(i));
                    return copy;
                });
    }

    @SuppressWarnings("unchecked")
    private static Map<Object, Object> emptyLike(Map<?, ?> map) {
        return map instanceof SortedMap<?, ?> sorted
                ? new TreeMap<>((Comparator<Object>) sorted.comparator())
                : new LinkedHashMap<>();
    }

    private static Object keyContent(Object key) {
        var content = key == null ? Optional.empty() : Structure.content(key);
        return content.orElseThrow(
                () ->
                        new IllegalArgumentException(
                                "a map with the key "
                                        + key
                                        + ": keys are strings, numbers or enums"));
    }

    /**
     * The keys in an order that is the same in every run: the map's own if it has one, else the
     * natural order of the keys.
     */
    private static List<Object> keys(Map<?, ?> map) {
        if (map instanceof SequencedMap || map instanceof EnumMap) return parts(map.keySet());
        try {
            return map.keySet().stream().sorted().collect(Collectors.toCollection(ArrayList::new));
        } catch (ClassCastException | NullPointerException e) {
            throw new IllegalArgumentException(
                    "a map without an order of its own whose keys have none either: "
                            + map.keySet()
                            + "; use a LinkedHashMap, or keys of one comparable type",
                    e);
        }
    }
}
