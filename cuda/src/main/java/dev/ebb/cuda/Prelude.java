package dev.ebb.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The declarations and functions at the beginning of every kernel's source text. */
final class Prelude {
    private static final String PLAIN = read("prelude.cu");
    private static final String SPECIAL = read("special.cu");
    private static final String TENSOR = read("tensor.cu");
    private static final String GROUPS = read("groups.cu");
    private static final String CONVOLVE = read("convolve.cu");
    private static final String WEIGHTS = read("weights.cu");

    /** All parts together, which suffice for any kernel. */
    static final String TEXT = PLAIN + SPECIAL + TENSOR + GROUPS + CONVOLVE + WEIGHTS;

    private Prelude() {}

    /**
     * The parts that kernels of this text need: some parts take long to compile and are seldom
     * used.
     */
    static String of(CharSequence text) {
        var all = text.toString();
        boolean convolves = all.contains("ConvolveSizes") || all.contains("Bits<");
        return PLAIN
                + (all.contains("fn_polygamma(") ? SPECIAL : "")
                + (all.contains("AttendSizes") || convolves ? TENSOR : "")
                + (all.contains("Groups<") || convolves ? GROUPS : "")
                + (convolves ? CONVOLVE : "")
                + (all.contains("convolve_weights<") || all.contains("convolve_spread<")
                        ? WEIGHTS
                        : "");
    }

    private static String read(String name) {
        try (var in = Prelude.class.getResourceAsStream("text/" + name)) {
            return new String(
                    Objects.requireNonNull(in, () -> name + " is missing from the module")
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
