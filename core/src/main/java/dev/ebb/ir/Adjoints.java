package dev.ebb.ir;

import java.util.List;
import java.util.function.Function;

/** The cotangents accumulated so far in a backward pass over a graph. */
public interface Adjoints {

    /** The builder to which a derivative rule emits its nodes. */
    Graph.Builder graph();

    /** Whether a cotangent was added to {@code value}. */
    boolean reached(Value value);

    /**
     * Whether the cotangent of {@code value} is needed: the value depends on an input that is
     * differentiated by.
     */
    boolean wanted(Value value);

    /** The cotangent of a value; zeros if none was added. */
    Value of(Value value);

    /**
     * Accumulates {@code cotangent} onto {@code value}. An input that is never added to has no
     * derivative.
     */
    void add(Value value, Value cotangent);

    /**
     * Accumulates {@code cotangent} onto a slice of {@code value}; the cotangent of the rest is
     * zero. Slices that do not overlap are assembled once, by the op that {@code assemble} makes:
     * the gradient of many slices costs as much as that of one tensor.
     */
    void addPart(
            Value value, View.Part part, Value cotangent, Function<List<View.Part>, Op> assemble);
}
