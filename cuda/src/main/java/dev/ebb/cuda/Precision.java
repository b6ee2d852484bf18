package dev.ebb.cuda;

/** How products of f32 are computed. */
public enum Precision {
    /** In f32, rounded once a step. */
    F32,
    /** Factors rounded to ten bits of mantissa, sums in f32: what tensor cores take f32 for. */
    TF32
}
