package dev.ebb.reference;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The room map of {@code docs/design.md}: which package may use which. It is read from that page,
 * so the page cannot drift from the code.
 *
 * @param mayUse the rooms that each room may use; a room is a package without {@code dev.ebb.}
 */
public record Rooms(Map<String, Set<String>> mayUse) {

    /** A line of the map, such as {@code dev.ebb.trace Trace, Tree may use: tensor*, ir}. */
    private static final Pattern ROW =
            Pattern.compile("^ +(dev\\.ebb(?:\\.\\w+)*) .* may use: (.+)$", Pattern.MULTILINE);

    /** The name of a class of ours, bare or inside a descriptor or a generic signature. */
    private static final Pattern CLASS = Pattern.compile("dev/ebb(?:/\\w+)*/(?=[A-Z])");

    /** The map on the design page of the repository. */
    public static Rooms of(Path repository) {
        var rows = ROW.matcher(read(repository.resolve("docs", "design.md"))).results().toList();
        var rooms = rows.stream().map(r -> room(r.group(1))).collect(toSet());
        return new Rooms(
                rows.stream()
                        .collect(
                                toMap(
                                        r -> room(r.group(1)),
                                        r -> neighbours(r.group(2).strip(), rooms))));
    }

    private static Set<String> neighbours(String text, Set<String> rooms) {
        return switch (text) {
            case "nothing" -> Set.of();
            case "every room below" ->
                    rooms.stream()
                            .filter(r -> !r.equals("dev.ebb") && !within("cpu", r))
                            .collect(toSet());
            default ->
                    Arrays.stream(text.split(", *"))
                            .flatMap(
                                    n ->
                                            n.endsWith("*")
                                                    ? rooms.stream().filter(r -> within(n, r))
                                                    : Stream.of(n))
                            .collect(toSet());
        };
    }

    /** Whether a room is another, which may end in a star, or inside it. */
    private static boolean within(String outer, String room) {
        var name = outer.replace("*", "");
        return room.equals(name) || room.startsWith(name + ".");
    }

    /** What the compiled classes of a folder use against the map. */
    public List<String> trespasses(Path classes) {
        try (var files = Files.walk(classes)) {
            return files.filter(f -> f.toString().endsWith(".class"))
                    .filter(f -> !f.endsWith("module-info.class"))
                    .flatMap(f -> trespasses(parse(f)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What one class uses against the map. */
    public Stream<String> trespasses(ClassModel model) {
        var name = model.thisClass().asInternalName().replace('/', '.');
        var room = room(name.substring(0, name.lastIndexOf('.')));
        var allowed = mayUse.get(room);
        if (allowed == null) {
            return Stream.of(name + " is in " + room + ", a room that is not on the map");
        }
        return StreamSupport.stream(model.constantPool().spliterator(), false)
                .flatMap(
                        entry ->
                                switch (entry) {
                                    case ClassEntry c -> packages(c.asInternalName());
                                    case Utf8Entry u -> packages(u.stringValue());
                                    default -> Stream.empty();
                                })
                .map(Rooms::room)
                .distinct()
                .filter(used -> !used.equals(room) && !allowed.contains(used))
                .map(used -> name + " uses " + used + ", but " + room + " may use " + allowed);
    }

    private static Stream<String> packages(String text) {
        return CLASS.matcher(text)
                .results()
                .map(m -> m.group().substring(0, m.group().length() - 1).replace('/', '.'));
    }

    /** The room of a package: its part after {@code dev.ebb}. */
    private static String room(String packageName) {
        return packageName.startsWith("dev.ebb.") ? packageName.substring(8) : packageName;
    }

    private static ClassModel parse(Path file) {
        try {
            return ClassFile.of().parse(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
