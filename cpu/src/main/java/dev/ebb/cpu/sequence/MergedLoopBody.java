package dev.ebb.cpu.sequence;

/** The generated code of a {@link MergedLoop}. */
interface MergedLoopBody {
    /** Computes {@code n} iterations from {@code first} on, on registers of f64 and f32. */
    void run(double[] doubles, float[] floats, int n, int first);

    /**
     * Copies the rows that {@code n} iterations gather to registers from {@code to} on.
     *
     * @param pick the number of the gather
     * @param data the start of the data of the first iteration, without the gathered index
     * @param index the position of the index of the first iteration
     */
    void pick(int pick, double[] doubles, float[] floats, long data, long index, int to, int n);
}
