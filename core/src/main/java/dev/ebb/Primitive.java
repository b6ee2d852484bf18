package dev.ebb;

import dev.ebb.exec.ArrayFunction;

import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A compiled function on arrays of doubles: it takes the elements of all tensors of the argument,
 * in tree order and each in row-major order, and returns those of the result. A small function is
 * compiled to one method that allocates nothing. If it uses no memory except the two arrays, any
 * number of threads may call it at once; otherwise calls wait for each other.
 */
public final class Primitive {
    private final int inputs;
    private final int outputs;
    private final Optional<ArrayFunction> pure;
    private final BiConsumer<double[], double[]> guarded;

    /**
     * @param pure computes without the program's memory, if that is possible
     * @param guarded computes in the program's memory, one call at a time
     */
    Primitive(
            int inputs,
            int outputs,
            Optional<ArrayFunction> pure,
            BiConsumer<double[], double[]> guarded) {
        this.inputs = inputs;
        this.outputs = outputs;
        this.pure = pure;
        this.guarded = guarded;
    }

    /** How many doubles the argument has. */
    public int inputs() {
        return inputs;
    }

    /** How many doubles the result has. */
    public int outputs() {
        return outputs;
    }

    /** Computes {@code out} from {@code in}; both may be the same array. */
    public void apply(double[] in, double[] out) {
        if (in.length < inputs || out.length < outputs) throw tooShort(in.length, out.length);
        if (pure.isPresent()) pure.get().apply(in, out);
        else guarded.accept(in, out);
    }

    private IllegalArgumentException tooShort(int in, int out) {
        return new IllegalArgumentException(
                ("arrays of %s and %s doubles for a function from %s to %s; make them as long as"
                                + " inputs() and outputs() say")
                        .formatted(in, out, inputs, outputs));
    }
}
