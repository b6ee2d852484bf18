package dev.ebb.cpu.straight;

/** The generated code of a {@link Region}. */
interface RegionBody {
    /** Computes {@code n} rounds from {@code first} on, on registers of f64 and f32. */
    void run(double[] doubles, float[] floats, int n, int first);

    /**
     * Copies the rows that {@code n} rounds gather to registers from {@code to} on.
     *
     * @param pick which of the region's picks
     * @param data where the data of the first round begin, without what the index adds
     * @param index where the index of the first round is
     */
    void pick(int pick, double[] doubles, float[] floats, long data, long index, int to, int n);
}
