package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.ebb.reference.Rooms;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/** Holds the compiled classes to the room map of {@code docs/design.md}. */
class RoomsTest {
    private static final Path REPOSITORY = Path.of("..");
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final int LINES = 400;
    private static final int FILES = 30;

    private final Rooms rooms = Rooms.of(REPOSITORY);

    @Test
    void the_map_names_every_room() throws IOException {
        try (var files = Files.walk(SOURCES)) {
            var packages =
                    files.filter(f -> f.endsWith("package-info.java"))
                            .map(f -> SOURCES.relativize(f.getParent()).toString())
                            .map(f -> f.replace('/', '.'))
                            .map(f -> f.equals("dev.ebb") ? f : f.substring(8))
                            .toList();
            assertThat(rooms.mayUse().keySet())
                    .filteredOn(r -> !r.equals("cpu") && !r.startsWith("cpu."))
                    .containsExactlyInAnyOrderElementsOf(packages);
        }
        assertThat(rooms.mayUse().get("dev.ebb")).contains("ir", "plan", "plan.search", "exec");
        assertThat(rooms.mayUse().get("dev.ebb")).doesNotContain("cpu", "cpu.tile");
        assertThat(rooms.mayUse().get("trace")).contains("tensor", "tensor.op", "ir");
        assertThat(rooms.mayUse().get("ir.math")).isEmpty();
    }

    @Test
    void every_room_keeps_to_its_neighbours() {
        assertThat(rooms.trespasses(Path.of("target", "classes")))
                .as(
                        "edges that the room map of docs/design.md does not allow;"
                                + " move the code, or change the map and say why")
                .isEmpty();
    }

    @Test
    void a_trespass_is_seen_even_in_a_signature() {
        assertThat(rooms.trespasses(holder("dev.ebb.ir.Node", "dev.ebb.tensor.Tensor")))
                .containsExactly("dev.ebb.ir.Node uses tensor, but ir may use [ir.math]");
        assertThat(rooms.trespasses(holder("dev.ebb.ir.Node", "dev.ebb.Ebb"))).hasSize(1);
        assertThat(rooms.trespasses(holder("dev.ebb.attic.Box", "dev.ebb.ir.Node")))
                .containsExactly("dev.ebb.attic.Box is in attic, a room that is not on the map");
        assertThat(rooms.trespasses(holder("dev.ebb.plan.pack.Box", "dev.ebb.plan.Budget")))
                .containsExactly("dev.ebb.plan.pack.Box uses plan, but plan.pack may use []");
        assertThat(rooms.trespasses(holder("dev.ebb.tensor.Tensor", "dev.ebb.ir.Node"))).isEmpty();
        assertThat(rooms.trespasses(holder("dev.ebb.Ebb", "dev.ebb.plan.Budget"))).isEmpty();
    }

    @Test
    void no_file_is_long() throws IOException {
        var tooLong =
                sources().stream()
                        .filter(f -> lines(f) > LINES)
                        .map(f -> REPOSITORY.relativize(f) + " has " + lines(f) + " lines")
                        .toList();
        assertThat(tooLong).as("no file over %d lines; split it by idea", LINES).isEmpty();
    }

    @Test
    void no_room_is_crowded() throws IOException {
        var folders =
                sources().stream()
                        .filter(f -> f.toString().contains(SOURCES.toString()))
                        .collect(groupingBy(Path::getParent, counting()));
        assertThat(folders)
                .as("no package over %d files; split it by purpose", FILES)
                .allSatisfy((folder, files) -> assertThat(files).isLessThanOrEqualTo(FILES));
    }

    private static List<Path> sources() throws IOException {
        try (var files = Files.walk(REPOSITORY)) {
            return files.filter(f -> f.toString().endsWith(".java"))
                    .filter(f -> !isBuilt(f))
                    .toList();
        }
    }

    /** A class whose one mention of another is the type of a field. */
    private static ClassModel holder(String name, String held) {
        var bytes =
                ClassFile.of()
                        .build(ClassDesc.of(name), c -> c.withField("held", ClassDesc.of(held), 0));
        return ClassFile.of().parse(bytes);
    }

    private static boolean isBuilt(Path file) {
        return StreamSupport.stream(file.spliterator(), false).anyMatch(Path.of("target")::equals);
    }

    private static long lines(Path file) {
        try (var lines = Files.lines(file)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
