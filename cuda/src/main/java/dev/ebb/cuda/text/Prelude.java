package dev.ebb.cuda.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The text that every kernel begins with. */
public final class Prelude {
    private static final String PLAIN = read("prelude.cu");
    private static final String TENSOR = read("tensor.cu");

    /** For any kernel. */
    public static final String TEXT = PLAIN + TENSOR;

    private Prelude() {}

    /** What kernels of this text need: tensor cores are for attention alone, and long to read. */
    public static String of(CharSequence text) {
        return text.toString().contains("AttendSizes") ? TEXT : PLAIN;
    }

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
