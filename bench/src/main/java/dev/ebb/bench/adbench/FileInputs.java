package dev.ebb.bench.adbench;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;

/**
 * Reads ADBench's own files, in its folder {@code data}. They are text: sizes first, then numbers
 * row by row. A file of a scene has one camera, one point, one weight and one feature, which are
 * repeated for all others; observations use cameras and points in turn. A file of a hand has
 * measured points, each with a vertex or a triangle of the {@linkplain HandModelFiles model}.
 */
record FileInputs(Path folder) implements Inputs {
    /** The prior of all published mixtures. */
    private static final double GAMMA = 1;

    /** The number of vertices of the smaller of the two published hands. */
    private static final int SMALL_HAND = 544;

    @Override
    public Gmm.Data mixture(int points, int dimensions, int clusters) {
        var file = "gmm/" + points / 1000 + "k/gmm_d" + dimensions + "_K" + clusters + ".txt";
        try (var numbers = new Numbers(folder.resolve(file))) {
            numbers.requireSizes(dimensions, clusters, points);
            var data =
                    new Gmm.Data(
                            points,
                            dimensions,
                            clusters,
                            numbers.next(clusters),
                            numbers.next(clusters * dimensions),
                            numbers.next(clusters * dimensions * (dimensions + 1) / 2),
                            numbers.next(points * dimensions));
            if (numbers.next() != GAMMA || numbers.next() != 0)
                throw new IllegalArgumentException(file + " has another prior than gamma 1, m 0");
            return data;
        }
    }

    @Override
    public Bundle.Data scene(int cameras, int points, int observations) {
        try (var numbers = new Numbers(file("ba", "_n" + cameras + "_m" + points + "_"))) {
            numbers.requireSizes(cameras, points, observations);
            var camera = numbers.next(Bundle.CAMERA);
            var point = numbers.next(3);
            var weight = numbers.next(1);
            var feature = numbers.next(2);
            var byCamera = new int[observations];
            var byPoint = new int[observations];
            for (int i = 0; i < observations; i++) {
                byCamera[i] = i % cameras;
                byPoint[i] = i % points;
            }
            return new Bundle.Data(
                    observations,
                    repeated(camera, cameras),
                    repeated(point, points),
                    repeated(weight, observations),
                    repeated(feature, observations),
                    byCamera,
                    byPoint);
        }
    }

    @Override
    public Lstm.Data sequence(int layers, int characters) {
        var file = "lstm/lstm_l" + layers + "_c" + characters + ".txt";
        try (var numbers = new Numbers(folder.resolve(file))) {
            numbers.requireSizes(layers, characters);
            int b = (int) numbers.next();
            return new Lstm.Data(
                    layers,
                    b,
                    characters,
                    numbers.next(layers * 8 * b),
                    numbers.next(3 * b),
                    numbers.next(layers * 2 * b),
                    numbers.next(characters * b));
        }
    }

    @Override
    public Hand.Data hand(int vertices, int points, boolean complicated) {
        var kind = complicated ? "complicated" : "simple";
        var in = "hand/" + kind + (vertices == SMALL_HAND ? "_small" : "_big");
        var model = HandModelFiles.read(folder.resolve(in).resolve("model"));
        if (model.vertices().length != 3 * vertices)
            throw new IllegalArgumentException(
                    in
                            + " has a model of "
                            + model.vertices().length / 3
                            + " vertices, not of "
                            + vertices);
        try (var numbers = new Numbers(file(in, "_t" + Hand.POSE + "_c" + points + "."))) {
            numbers.requireSizes(points, Hand.POSE);
            var measured = new double[3 * points];
            var corners = new int[3 * points];
            for (int i = 0; i < points; i++) {
                int at = (int) numbers.next();
                for (int k = 0; k < 3; k++) {
                    corners[3 * i + k] = complicated ? model.triangles()[3 * at + k] : at;
                    measured[3 * i + k] = numbers.next();
                }
            }
            var places = complicated ? numbers.next(2 * points) : new double[2 * points];
            return new Hand.Data(
                    model.base(),
                    model.inverse(),
                    model.vertices(),
                    model.weights(),
                    measured,
                    corners,
                    numbers.next(Hand.POSE),
                    places);
        }
    }

    /**
     * The file whose name contains {@code part}. All files are numbered, and the name of scene 20's
     * has a digit missing after that.
     */
    private Path file(String kind, String part) {
        try (var files = Files.list(folder.resolve(kind))) {
            return files.filter(f -> f.getFileName().toString().contains(part))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new IllegalArgumentException(
                                            "no file " + kind + "/*" + part + "* in " + folder));
        } catch (IOException e) {
            throw new UncheckedIOException(Numbers.unreadable(folder.resolve(kind)), e);
        }
    }

    private static double[] repeated(double[] some, int times) {
        var all = new double[Math.multiplyExact(some.length, times)];
        for (int i = 0; i < times; i++)
            System.arraycopy(some, 0, all, i * some.length, some.length);
        return all;
    }

    /** Reads the numbers of a text file, one after the other. */
    record Numbers(Path file, Scanner scanner) implements AutoCloseable {
        Numbers(Path file) {
            this(file, new Scanner(reader(file)));
        }

        private static Reader reader(Path file) {
            try {
                return Files.newBufferedReader(file);
            } catch (IOException e) {
                throw new UncheckedIOException(unreadable(file), e);
            }
        }

        static String unreadable(Path file) {
            return file + " cannot be read; data= names the folder 'data' of ADBench";
        }

        double next() {
            if (!scanner.hasNext()) throw new IllegalArgumentException(file + " ends too early");
            return Double.parseDouble(scanner.next());
        }

        double[] next(int count) {
            var numbers = new double[count];
            for (int i = 0; i < count; i++) numbers[i] = next();
            return numbers;
        }

        void requireSizes(int... expected) {
            for (int size : expected) {
                double found = next();
                if (found != size)
                    throw new IllegalArgumentException(
                            file + " begins with " + found + " where its name says " + size);
            }
        }

        @Override
        public void close() {
            scanner.close();
        }
    }
}
