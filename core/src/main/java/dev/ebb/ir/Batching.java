package dev.ebb.ir;

import java.util.List;

/**
 * What is known so far while a graph is rewritten to work on several examples at once: each value
 * either has one more axis, the first, with one slice an example, or is the same for all.
 */
public interface Batching {

    /** Where the nodes for all examples are emitted. */
    Graph.Builder graph();

    /** Whether {@code value} differs from example to example. */
    boolean differs(Value value);

    /** What stands for {@code value}: with the axis if it differs, else as it is. */
    Value of(Value value);

    /** What stands for {@code value}, with the axis in any case. */
    Value stacked(Value value);

    /**
     * {@code here}, which has the axis if {@code differs}, stands for {@code value} from now on.
     */
    void put(Value value, Value here, boolean differs);

    /** {@code here} with its first two axes exchanged. */
    Value swapped(Value here);

    /** Emits {@code node} with one more axis: one kernel of the same form, where that is one. */
    void together(Node node);

    /** Emits {@code node} as a loop that takes one example after the other. */
    void oneByOne(Node node);

    /**
     * {@code body} for all examples, of parameters that differ or not. A result has the axis if it
     * differs or if {@code stacked} asks for it; which do is told.
     */
    Body body(Graph body, List<Boolean> params, List<Boolean> stacked);

    /** A graph for all examples, and which of its results have the axis. */
    record Body(Graph graph, List<Boolean> differs) {
        public Body {
            differs = List.copyOf(differs);
        }
    }
}
