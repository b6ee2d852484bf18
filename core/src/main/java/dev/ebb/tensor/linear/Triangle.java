package dev.ebb.tensor.linear;

/** Which half of a matrix counts, its diagonal included. */
public enum Triangle {
    LOWER,
    UPPER
}
