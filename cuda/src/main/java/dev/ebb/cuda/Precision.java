package dev.ebb.cuda;

/** The precision of f32 products. */
public enum Precision {
    /** In f32, rounded once per step of the sum. */
    F32,
    /** Factors rounded to ten bits of mantissa, sums in f32; needed to use tensor cores for f32. */
    TF32
}
