package dev.ebb.examples;

import dev.ebb.nn.Seed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A table of fish as training data. */
final class Fish {
    private Fish() {}

    /** Perch and pike; pike are long for their weight. */
    static void write(Path file, int rows) throws IOException {
        var text = new StringBuilder("length,width,weight,kind\n");
        for (int i = 0; i < rows; i++) {
            var seed = new Seed(i);
            boolean pike = seed.uniform(0) < 0.4;
            double length = (pike ? 5 : 3.5) + 0.5 * seed.normal(1);
            double width = (pike ? 0.8 : 1.3) + 0.15 * seed.normal(2);
            double weight = 0.5 * length * width + 0.3 * seed.normal(3);
            text.append(String.format(Locale.ROOT, "%.3f,%.3f,%.3f,", length, width, weight));
            text.append(pike ? "pike\n" : "perch\n");
        }
        Files.writeString(file, text);
    }
}
