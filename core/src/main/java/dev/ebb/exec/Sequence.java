package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.List;

/**
 * The computations of a program, or of one iteration of a loop, in execution order, with the memory
 * that each reads and writes: the input from which a device compiles one method.
 *
 * @param params the values that exist before the first computation
 * @param results the values that must exist after the last one
 */
public record Sequence(List<Work> works, List<Place> params, List<Place> results) {

    public Sequence {
        works = List.copyOf(works);
        params = List.copyOf(params);
        results = List.copyOf(results);
    }

    /**
     * One computation.
     *
     * @param outputs its outputs, without the workspace, which no op reads
     * @param body runs the computation
     */
    public record Work(Node node, List<Buffer> inputs, List<Buffer> outputs, Runnable body) {
        public Work {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }
    }

    /** A value and its memory. */
    public record Place(Value value, Buffer buffer) {}
}
