package dev.ebb.exec;

/**
 * A program as one method that reads arrays of argument elements and writes arrays of result
 * elements.
 */
public interface ArrayFunction {

    /**
     * Computes the results. Both arrays hold the elements of all arguments, or results, one behind
     * the other in row-major order. Results are not left in the program's memory.
     */
    void apply(double[] in, double[] out);

    /**
     * Whether nothing but the two arrays is read or written, so that any thread may call this at
     * any time.
     */
    boolean isPure();
}
