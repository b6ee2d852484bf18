package dev.ebb.plan.schedule;

/** How a program may use the memory of a parameter while it runs. */
public sealed interface Binding {

    /** Written before every run: its memory may be reused once it is dead. */
    record Consumed() implements Binding {}

    /** Must still hold its value when the program ends. */
    record Kept() implements Binding {}

    /** Result number {@code result} replaces it in place when the program ends: a state. */
    record Replaced(int result) implements Binding {}
}
