package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Holds the compiled classes to the room map of {@code docs/design.md}. The map is read from that
 * page, so the page cannot drift from the code.
 */
class RoomsTest {
    private static final Path REPOSITORY = Path.of("..");
    private static final int LINES = 400;

    /** A line of the map, such as {@code dev.ebb.trace Trace, Tree may use: tensor, ir}. */
    private static final Pattern ROW =
            Pattern.compile("^ +(dev\\.ebb(?:\\.\\w+)?) .* may use: (.+)$", Pattern.MULTILINE);

    /** The name of a class of ours, bare or inside a descriptor or a generic signature. */
    private static final Pattern CLASS = Pattern.compile("dev/ebb(?:/\\w+)*/(?=[A-Z])");

    private final Map<String, Set<String>> mayUse = map();

    @Test
    void the_map_names_every_room() {
        assertThat(mayUse.keySet())
                .containsExactlyInAnyOrder(
                        "dev.ebb", "solve", "ir", "tensor", "grad", "pass", "plan", "trace",
                        "exec");
        assertThat(mayUse.get("dev.ebb")).hasSize(8);
        assertThat(mayUse.get("trace")).containsExactlyInAnyOrder("tensor", "ir");
        assertThat(mayUse.get("ir")).isEmpty();
    }

    @Test
    void every_room_keeps_to_its_neighbours() throws IOException {
        try (var files = Files.walk(Path.of("target", "classes"))) {
            var trespasses =
                    files.filter(f -> f.toString().endsWith(".class"))
                            .filter(f -> !f.endsWith("module-info.class"))
                            .flatMap(f -> trespasses(parse(f)))
                            .toList();
            assertThat(trespasses)
                    .as(
                            "edges that the room map of docs/design.md does not allow;"
                                    + " move the code, or change the map and say why")
                    .isEmpty();
        }
    }

    @Test
    void a_trespass_is_seen_even_in_a_signature() {
        assertThat(trespasses(holder("dev.ebb.ir.Node", "dev.ebb.tensor.Tensor")))
                .containsExactly("dev.ebb.ir.Node uses tensor, but ir may use []");
        assertThat(trespasses(holder("dev.ebb.ir.Node", "dev.ebb.Ebb"))).hasSize(1);
        assertThat(trespasses(holder("dev.ebb.attic.Box", "dev.ebb.ir.Node")))
                .containsExactly("dev.ebb.attic.Box is in attic, a room that is not on the map");
        assertThat(trespasses(holder("dev.ebb.tensor.Tensor", "dev.ebb.ir.Node"))).isEmpty();
        assertThat(trespasses(holder("dev.ebb.Ebb", "dev.ebb.plan.Budget"))).isEmpty();
    }

    @Test
    void no_file_is_long() throws IOException {
        try (var files = Files.walk(REPOSITORY)) {
            var tooLong =
                    files.filter(f -> f.toString().endsWith(".java"))
                            .filter(f -> !isBuilt(f))
                            .filter(f -> lines(f) > LINES)
                            .map(f -> REPOSITORY.relativize(f) + " has " + lines(f) + " lines")
                            .toList();
            assertThat(tooLong).as("no file over %d lines; split it by idea", LINES).isEmpty();
        }
    }

    private static Map<String, Set<String>> map() {
        var rows = ROW.matcher(read(REPOSITORY.resolve("docs", "design.md"))).results().toList();
        var rooms = rows.stream().map(r -> room(r.group(1))).collect(toSet());
        return rows.stream()
                .collect(toMap(r -> room(r.group(1)), r -> neighbours(r.group(2).strip(), rooms)));
    }

    private static Set<String> neighbours(String text, Set<String> rooms) {
        return switch (text) {
            case "nothing" -> Set.of();
            case "every room below" ->
                    rooms.stream().filter(r -> !r.equals("dev.ebb")).collect(toSet());
            default -> Set.of(text.split(", *"));
        };
    }

    private Stream<String> trespasses(ClassModel model) {
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
                .map(RoomsTest::room)
                .distinct()
                .filter(used -> !used.equals(room) && !allowed.contains(used))
                .map(used -> name + " uses " + used + ", but " + room + " may use " + allowed);
    }

    private static Stream<String> packages(String text) {
        return CLASS.matcher(text)
                .results()
                .map(m -> m.group().substring(0, m.group().length() - 1).replace('/', '.'));
    }

    /** The room of a package: its part after {@code dev.ebb}, inner packages included. */
    private static String room(String packageName) {
        return packageName.startsWith("dev.ebb.") ? packageName.split("\\.", -1)[2] : packageName;
    }

    /** A class whose one mention of another is the type of a field. */
    private static ClassModel holder(String name, String held) {
        var bytes =
                ClassFile.of()
                        .build(ClassDesc.of(name), c -> c.withField("held", ClassDesc.of(held), 0));
        return ClassFile.of().parse(bytes);
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

    private static boolean isBuilt(Path file) {
        return StreamSupport.stream(file.spliterator(), false).anyMatch(Path.of("target")::equals);
    }

    private static long lines(Path file) {
        return read(file).lines().count();
    }
}
