package dev.ebb.trace;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How objects of a class are taken apart and put together: a record by its components, a class such
 * as Kotlin's data classes by {@code component1()}, {@code component2()} and so on and a
 * constructor that takes the same.
 */
final class Form {
    private static final ClassValue<Form> FORMS =
            new ClassValue<>() {
                @Override
                protected Form computeValue(Class<?> type) {
                    return type.isRecord() ? record(type) : dataClass(type);
                }
            };

    private final Class<?> type;
    private final List<String> names;
    private final List<Method> accessors;

    private Form(Class<?> type, List<String> names, List<Method> accessors) {
        this.type = type;
        this.names = names;
        this.accessors = accessors;
    }

    /** The form of {@code type}; refuses a class that has none. */
    static Form of(Class<?> type) {
        return FORMS.get(type);
    }

    private static Form record(Class<?> type) {
        var components = Arrays.asList(type.getRecordComponents());
        return new Form(
                type,
                components.stream().map(RecordComponent::getName).toList(),
                components.stream().map(RecordComponent::getAccessor).toList());
    }

    private static Form dataClass(Class<?> type) {
        var accessors = new ArrayList<Method>();
        while (true) {
            try {
                accessors.add(type.getDeclaredMethod("component" + (accessors.size() + 1)));
            } catch (NoSuchMethodException e) {
                break;
            }
        }
        var fields = Structure.fields(type);
        var form =
                new Form(
                        type,
                        IntStream.range(0, accessors.size())
                                .mapToObj(
                                        i ->
                                                i < fields.size()
                                                        ? fields.get(i).getName()
                                                        : "component" + (i + 1))
                                .toList(),
                        accessors);
        if (accessors.isEmpty()) throw refused(type, "");
        if (fields.size() != accessors.size())
            throw refused(
                    type,
                    " has "
                            + accessors.size()
                            + " components and "
                            + fields.size()
                            + " fields, and");
        try {
            form.constructor();
        } catch (NoSuchMethodException e) {
            throw refused(type, " has no constructor of its components, and");
        }
        return form;
    }

    private static IllegalArgumentException refused(Class<?> type, String why) {
        return new IllegalArgumentException(
                type.getName()
                        + why
                        + " cannot be taken apart into tensors and put together again. Accepted are"
                        + " tensors; records, lists, maps, optionals and arrays of what is"
                        + " accepted; Kotlin data classes; and numbers, strings, truth values,"
                        + " enums and lambdas that capture nothing else. Make "
                        + type.getSimpleName()
                        + " a record");
    }

    private Constructor<?> constructor() throws NoSuchMethodException {
        return type.getDeclaredConstructor(
                accessors.stream().map(Method::getReturnType).toArray(Class<?>[]::new));
    }

    Level level(Object of) {
        var parts = new ArrayList<Object>();
        for (var accessor : accessors) parts.add(read(accessor, of));
        return new Level.Inner(type, names, parts, this::built);
    }

    private Object built(List<Object> parts) {
        for (int i = 0; i < parts.size(); i++) {
            var declared = accessors.get(i).getReturnType();
            if (!declared.isPrimitive() && !declared.isInstance(parts.get(i)))
                throw new IllegalArgumentException(
                        names.get(i)
                                + " of "
                                + type.getName()
                                + " is declared "
                                + declared.getSimpleName()
                                + ", which cannot hold a "
                                + parts.get(i).getClass().getSimpleName()
                                + "; declare it Tensor, List, Map or Tensor[]");
        }
        try {
            var constructor = constructor();
            constructor.setAccessible(true);
            return constructor.newInstance(parts.toArray());
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    "the constructor of "
                            + type.getName()
                            + " refuses traced tensors: "
                            + e.getCause(),
                    e);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unreadable(e);
        }
    }

    private Object read(Method accessor, Object of) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(of);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unreadable(e);
        }
    }

    private IllegalArgumentException unreadable(Exception cause) {
        return new IllegalArgumentException(
                "cannot read or rebuild "
                        + type.getName()
                        + ": "
                        + cause
                        + "; make it public or open its package to dev.ebb",
                cause);
    }
}
