package dev.ebb.cpu.straight;

/** The generated code of a {@link Region}. */
interface RegionBody {
    /** Computes {@code n} rounds on registers of f64 and f32. */
    void run(double[] doubles, float[] floats, int n);
}
