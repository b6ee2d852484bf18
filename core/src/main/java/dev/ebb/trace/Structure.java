package dev.ebb.trace;

import dev.ebb.tensor.Tensor;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The static values of a tree, which neither are nor contain tensors: numbers, truth values, text,
 * enums, similar values of the Java platform, arrays of primitives, and objects without fields. A
 * lambda is static if all values that it captures are.
 */
final class Structure {
    private Structure() {}

    /** The content of {@code value}, comparable by equals; empty if the value is not static. */
    static Optional<Object> content(Object value) {
        return switch (value) {
            case Integer _,
                    Long _,
                    Short _,
                    Byte _,
                    Float _,
                    Double _,
                    BigInteger _,
                    BigDecimal _ ->
                    Optional.of(value);
            case Boolean _, Character _, String _, Class<?> _ -> Optional.of(value);
            case OptionalInt _, OptionalLong _, OptionalDouble _ -> Optional.of(value);
            case UUID _, URI _, Path _ -> Optional.of(value);
            case Enum<?> e -> hidesTensor(e) ? Optional.empty() : Optional.of(e);
            default ->
                    value.getClass().isArray()
                            ? primitives(value)
                            : isOfTime(value) || isEmpty(value)
                                    ? Optional.of(value)
                                    : Optional.empty();
        };
    }

    /**
     * Whether {@code value} is a number, which may change without changing the structure of its
     * tree.
     */
    static boolean isNumber(Object value) {
        return value instanceof Number;
    }

    private static boolean isOfTime(Object value) {
        return value.getClass().getPackageName().equals("java.time");
    }

    private static Optional<Object> primitives(Object array) {
        if (!array.getClass().getComponentType().isPrimitive()) return Optional.empty();
        var content = new ArrayList<Object>();
        content.add(array.getClass());
        for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++)
            content.add(java.lang.reflect.Array.get(array, i));
        return Optional.of(content);
    }

    private static boolean hidesTensor(Object e) {
        return fields(e.getClass()).stream()
                .anyMatch(f -> Tensor.class.isAssignableFrom(f.getType()));
    }

    /** Whether {@code value} has no fields, or is a lambda that captures only static values. */
    private static boolean isEmpty(Object value) {
        var fields = fields(value.getClass());
        if (fields.isEmpty()) return true;
        if (!value.getClass().isHidden() || !value.getClass().isSynthetic()) return false;
        for (var field : fields) {
            if (field.getType().isPrimitive()) continue;
            var captured = read(field, value);
            if (captured.isEmpty() || content(captured.get()).isEmpty()) return false;
        }
        return true;
    }

    private static Optional<Object> read(Field field, Object of) {
        try {
            field.setAccessible(true);
            return Optional.ofNullable(field.get(of));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** The fields of an object of {@code type}, those of its superclasses included. */
    static List<Field> fields(Class<?> type) {
        var found = new ArrayList<Field>();
        for (Class<?> c = type; c != null && c != Enum.class; c = c.getSuperclass())
            for (var field : c.getDeclaredFields())
                if (!Modifier.isStatic(field.getModifiers())) found.add(field);
        return found;
    }
}
