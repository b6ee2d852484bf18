package dev.ebb.tensor;

/** Picking elements by index, and putting them back. */
public interface IndexOps {}
