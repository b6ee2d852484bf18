package dev.ebb;

/**
 * The result of one step of a process: the state after the step, and an output for the caller, such
 * as the loss.
 */
public record Next<S, R>(S state, R out) {}
