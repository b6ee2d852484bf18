package dev.ebb.exec;

/**
 * A program as one method that reads arrays of argument elements and writes arrays of result
 * elements.
 */
public interface ArrayFunction {

    /**
     * Computes the results. {@code in} holds the elements of all arguments and {@code out} those of
     * all results, one tensor after the other, each in row-major order. The results are not in the
     * program's memory afterwards.
     */
    void apply(double[] in, double[] out);

    /**
     * Whether nothing but the two arrays is read or written, so that any thread may call this at
     * any time.
     */
    boolean isPure();
}
