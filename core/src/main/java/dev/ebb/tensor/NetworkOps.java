package dev.ebb.tensor;

/** What networks are made of: normalisations, losses, convolutions, attention. */
public interface NetworkOps {}
