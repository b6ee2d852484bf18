package dev.ebb.plan.schedule;

/** How the memory of a parameter may be used while the program runs. */
public sealed interface Binding {

    /** Read in anew for every run: its memory is free once it is dead. */
    record Consumed() implements Binding {}

    /** Must still hold its value when the program ends. */
    record Kept() implements Binding {}

    /**
     * Result number {@code result} lies in its place when the program ends: state, updated in
     * place.
     */
    record Replaced(int result) implements Binding {}
}
