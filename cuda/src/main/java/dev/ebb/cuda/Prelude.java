package dev.ebb.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The text that every kernel begins with. */
final class Prelude {
    static final String TEXT = read("prelude.cu") + read("tensor.cu");

    private Prelude() {}

    private static String read(String name) {
        try (var in = Prelude.class.getResourceAsStream(name)) {
            return new String(
                    Objects.requireNonNull(in, () -> name + " is missing from the module")
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
