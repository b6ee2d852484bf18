package dev.ebb.ir;

import java.util.List;

/**
 * A value of a graph: a number that names it, and its type. One node, or the list of parameters,
 * defines it; it never changes.
 */
public record Value(int id, Type type) {
    /** The types of {@code values}. */
    public static List<Type> types(List<Value> values) {
        return switch (values.size()) {
            case 0 -> List.of();
            case 1 -> List.of(values.get(0).type);
            case 2 -> List.of(values.get(0).type, values.get(1).type);
            default -> values.stream().map(Value::type).toList();
        };
    }

    /** Compares the number first: values of one graph differ by it. */
    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Value(int i, Type t) && id == i && type.equals(t);
    }

    @Override
    public int hashCode() {
        return id;
    }

    @Override
    public String toString() {
        return "%" + id;
    }
}
