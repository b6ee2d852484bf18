package dev.ebb.bench.adbench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Reads the model of a hand from ADBench's files: lines of words between colons. A bone is its
 * name, its parent, its frame in that of the parent and the inverse of its frame at rest, both 4 x
 * 4; a vertex is its position at rest, five numbers that are not used, and the number of its bones
 * followed by pairs of bones and weights; a triangle is three vertices. Arrays are as in {@link
 * Hand.Data}.
 */
record HandModelFiles(
        double[] base, double[] inverse, double[] vertices, double[] weights, int[] triangles) {

    private static final int BONE_WORDS = 2 + 2 * 16;
    private static final int PAIRS = 8;

    static HandModelFiles read(Path folder) {
        var bones = words(folder.resolve("bones.txt"));
        requireBones(folder.resolve("bones.txt"), bones);
        var vertices = words(folder.resolve("vertices.txt"));
        var triangles = words(folder.resolve("triangles.txt"));
        return new HandModelFiles(
                bones.stream().flatMapToDouble(b -> frame(b, 2)).toArray(),
                bones.stream().flatMapToDouble(b -> frame(b, 2 + 16)).toArray(),
                vertices.stream().flatMapToDouble(v -> numbers(v, 0, 3)).toArray(),
                vertices.stream().flatMapToDouble(HandModelFiles::weights).toArray(),
                triangles.stream().flatMap(Stream::of).mapToInt(Integer::parseInt).toArray());
    }

    private static List<String[]> words(Path file) {
        try (var lines = Files.lines(file)) {
            return lines.filter(l -> !l.isBlank()).map(l -> l.strip().split(":")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(FileInputs.Numbers.unreadable(file), e);
        }
    }

    private static void requireBones(Path file, List<String[]> bones) {
        if (bones.size() != Hand.BONES)
            throw new IllegalArgumentException(
                    file + " has " + bones.size() + " bones, not " + Hand.BONES);
        for (int b = 0; b < Hand.BONES; b++) {
            var words = bones.get(b);
            if (words.length != BONE_WORDS)
                throw new IllegalArgumentException(
                        file + ": bone " + b + " has " + words.length + " words of " + BONE_WORDS);
            if (Integer.parseInt(words[1]) != Hand.parent(b))
                throw new IllegalArgumentException(
                        file + ": the parent of bone " + b + " is not bone " + Hand.parent(b));
        }
    }

    /** The first three rows of a 4 x 4 matrix; the last row of every frame is the same. */
    private static DoubleStream frame(String[] words, int from) {
        return numbers(words, from, 12);
    }

    private static DoubleStream numbers(String[] words, int from, int count) {
        return Stream.of(words).skip(from).limit(count).mapToDouble(Double::parseDouble);
    }

    private static DoubleStream weights(String[] vertex) {
        var all = new double[Hand.BONES];
        int pairs = Integer.parseInt(vertex[PAIRS]);
        for (int i = 0; i < pairs; i++)
            all[Integer.parseInt(vertex[PAIRS + 1 + 2 * i])] =
                    Double.parseDouble(vertex[PAIRS + 2 + 2 * i]);
        return DoubleStream.of(all);
    }
}
