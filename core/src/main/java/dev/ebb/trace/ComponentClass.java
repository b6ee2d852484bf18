package dev.ebb.trace;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A class whose objects consist of components, into which they are flattened and from which they
 * are constructed again: a record, or a class such as a Kotlin data class with {@code
 * component1()}, {@code component2()} and so on and a constructor that takes them.
 */
final class ComponentClass {
    private static final ClassValue<ComponentClass> FORMS =
            new ClassValue<>() {
                @Override
                protected ComponentClass computeValue(Class<?> type) {
                    return type.isRecord() ? record(type) : dataClass(type);
                }
            };

    /** After this number of uses an access class is generated, which takes milliseconds. */
    private static final int OFTEN = 500;

    private final Class<?> type;
    private final List<String> names;
    private final List<Method> accessors;
    private volatile @Nullable Code code;

    /** Not synchronized: the count may be too low. */
    private int uses;

    private ComponentClass(Class<?> type, List<String> names, List<Method> accessors) {
        this.type = type;
        this.names = names;
        this.accessors = accessors;
    }

    /** The description of {@code type}; refuses a class that does not consist of components. */
    static ComponentClass of(Class<?> type) {
        return FORMS.get(type);
    }

    private static ComponentClass record(Class<?> type) {
        var components = Arrays.asList(type.getRecordComponents());
        return new ComponentClass(
                type,
                components.stream().map(RecordComponent::getName).toList(),
                components.stream().map(RecordComponent::getAccessor).toList());
    }

    private static ComponentClass dataClass(Class<?> type) {
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
                new ComponentClass(
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

    TreeNode level(Object of) {
        return new TreeNode.Inner(type, names, Arrays.asList(parts(of)), this::built);
    }

    Class<?> type() {
        return type;
    }

    /** The components of {@code of}, in order. */
    Object[] parts(Object of) {
        var access = code().access;
        try {
            return access.parts(of);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw unreadable(e);
        }
    }

    private Object built(List<Object> parts) {
        return construct(parts.toArray());
    }

    /** An object of these components. */
    Object construct(Object[] parts) {
        var code = code();
        for (int i = 0; i < parts.length; i++)
            if (!code.declared[i].isInstance(parts[i])) throw cannotHold(i, parts[i]);
        try {
            return code.access.construct(parts);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalArgumentException(
                    "the constructor of " + type.getName() + " refuses traced tensors: " + e, e);
        }
    }

    private IllegalArgumentException cannotHold(int i, Object part) {
        return new IllegalArgumentException(
                ("%s of %s is declared %s, which cannot hold a %s; declare it Tensor, List, Map or"
                                + " Tensor[]")
                        .formatted(
                                names.get(i),
                                type.getName(),
                                accessors.get(i).getReturnType().getSimpleName(),
                                part.getClass().getSimpleName()));
    }

    /** The access to objects of the class, and the declared type of each component, boxed. */
    private static final class Code {
        final RecordAccess access;
        final Class<?>[] declared;

        Code(RecordAccess access, Class<?>[] declared) {
            this.access = access;
            this.declared = declared;
        }
    }

    private Code code() {
        var known = code;
        if (known == null) {
            code = known = findCode();
        } else if (uses < OFTEN && ++uses == OFTEN) {
            code = known = new Code(known.access.compiled(), known.declared);
        }
        return known;
    }

    private Code findCode() {
        try {
            var lookup = MethodHandles.lookup();
            var readers = new MethodHandle[accessors.size()];
            var declared = new Class<?>[accessors.size()];
            for (int i = 0; i < readers.length; i++) {
                var accessor = accessors.get(i);
                accessor.setAccessible(true);
                readers[i] =
                        lookup.unreflect(accessor)
                                .asType(MethodType.methodType(Object.class, Object.class));
                declared[i] = MethodType.methodType(accessor.getReturnType()).wrap().returnType();
            }
            var constructor = constructor();
            constructor.setAccessible(true);
            var maker =
                    lookup.unreflectConstructor(constructor)
                            .asType(MethodType.genericMethodType(readers.length));
            return new Code(new RecordAccess.ByHandles(readers, maker), declared);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unreadable(e);
        }
    }

    private IllegalArgumentException unreadable(Throwable cause) {
        return new IllegalArgumentException(
                "cannot read or rebuild %s: %s; make it public or open its package to dev.ebb"
                        .formatted(type.getName(), cause),
                cause);
    }
}
