package dev.ebb.cli.option;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Writes a record as a JSON object with one member for each component, and reads it back. A
 * component {@code heldOut} becomes the member {@code held_out}. Components may be integers,
 * doubles, texts, lists of texts without commas, enum constants, and optional integers ({@link
 * OptionalLong}).
 */
public final class JsonRecord {
    private JsonRecord() {}

    /** The JSON object from which {@link #read} makes an equal record. */
    public static Json write(Record record) {
        var members = new LinkedHashMap<String, Json>();
        for (var component : record.getClass().getRecordComponents())
            json(value(component, record)).ifPresent(v -> members.put(name(component), v));
        return Json.of(members);
    }

    /**
     * A record of the members of {@code json}; other members are ignored.
     *
     * @throws FileFormatException if a member is missing or has another type; the message names the
     *     member
     */
    public static <R extends Record> R read(Class<R> type, Json json) throws FileFormatException {
        var components = type.getRecordComponents();
        var types = new Class<?>[components.length];
        var values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            var name = name(components[i]);
            types[i] = components[i].getType();
            values[i] =
                    value(types[i], json.at(name))
                            .orElseThrow(() -> new FileFormatException(name + " is missing"));
        }
        try {
            var constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new FileFormatException(
                    Optional.ofNullable(e.getCause()).map(Throwable::getMessage).orElse("" + e));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " cannot be created from its components", e);
        }
    }

    /** The same for {@code text}, the content of {@code file}; errors name the file. */
    public static <R extends Record> R read(Class<R> type, Path file, String text)
            throws FileFormatException {
        try {
            return read(type, Json.parse(text));
        } catch (FileFormatException e) {
            throw new FileFormatException(file, "the settings of the run: " + e.getMessage(), e);
        }
    }

    private static String name(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static Object value(RecordComponent component, Record record) {
        try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(component + " cannot be read", e);
        }
    }

    private static Optional<Json> json(Object value) {
        return switch (value) {
            case OptionalLong n ->
                    n.isPresent() ? Optional.of(Json.of(n.getAsLong())) : Optional.empty();
            case Double x -> Optional.of(Json.of((double) x));
            case Number n -> Optional.of(Json.of(n.longValue()));
            case Enum<?> e -> Optional.of(Json.of(e.name().toLowerCase(Locale.ROOT)));
            case List<?> texts ->
                    Optional.of(
                            Json.of(String.join(",", texts.stream().map(t -> "" + t).toList())));
            case String text -> Optional.of(Json.of(text));
            default ->
                    throw new IllegalArgumentException(
                            value + " has a type that cannot be written as JSON");
        };
    }

    private static Optional<Object> value(Class<?> type, Optional<Json> member) {
        if (type == OptionalLong.class)
            return Optional.of(
                    member.flatMap(Json::whole)
                            .map(OptionalLong::of)
                            .orElseGet(OptionalLong::empty));
        if (type == int.class)
            return member.flatMap(Json::whole).filter(n -> n == n.intValue()).map(Long::intValue);
        if (type == long.class) return member.flatMap(Json::whole).map(n -> n);
        if (type == double.class) return member.flatMap(Json::number).map(x -> x);
        var text = member.flatMap(Json::text);
        if (type == List.class)
            return text.map(t -> t.isEmpty() ? List.of() : List.of(t.split(",", -1)));
        return type.isEnum() ? text.flatMap(t -> constant(type, t)) : text.map(t -> t);
    }

    private static Optional<Object> constant(Class<?> type, String name) {
        return Arrays.stream(type.getEnumConstants())
                .filter(c -> ((Enum<?>) c).name().toLowerCase(Locale.ROOT).equals(name))
                .map(c -> (Object) c)
                .findFirst();
    }
}
