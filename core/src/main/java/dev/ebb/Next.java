package dev.ebb;

/** What one step of a process gives: the state it leaves, and something to look at. */
public record Next<S, R>(S state, R out) {}
