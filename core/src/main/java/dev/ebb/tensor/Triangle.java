package dev.ebb.tensor;

/** Which half of a matrix counts, its diagonal included. */
public enum Triangle {
    LOWER,
    UPPER
}
