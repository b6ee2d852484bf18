package dev.ebb.ir;

import java.util.List;
import java.util.function.Function;

/** The cotangents known so far while a graph is walked backwards. */
public interface Adjoints {

    /** Where the derivative's own nodes are emitted. */
    Graph.Builder graph();

    /** Whether anything flowed into {@code value}. */
    boolean reached(Value value);

    /**
     * Whether a cotangent of {@code value} is of any use: it depends on something differentiated
     * by.
     */
    boolean wanted(Value value);

    /** The cotangent of a value; zeros if nothing flowed into it. */
    Value of(Value value);

    /**
     * Accumulates {@code cotangent} onto {@code value}. An input that is never added to has no
     * derivative.
     */
    void add(Value value, Value cotangent);

    /**
     * Accumulates {@code cotangent} onto a part of {@code value}; onto the rest, nothing. Parts
     * that do not overlap are put together once, by the op that {@code assemble} makes of them: the
     * gradient of many slices costs what one tensor does.
     */
    void addPart(
            Value value, View.Part part, Value cotangent, Function<List<View.Part>, Op> assemble);
}
