package dev.ebb;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Eager;

import java.util.LinkedHashMap;
import java.util.List;

/**
 * Runs single ops, and whole graphs, on arrays at once. Programs on small arrays are kept with
 * their memory for the next call, up to a fixed number of them; a program on large arrays gives its
 * memory back after each call.
 */
public final class EagerEngine implements Eager {
    /** The most programs that are cached, by least recent use. */
    static final int MOST = 128;

    /** A program that uses more memory than this is not cached. */
    private static final long SMALL_BYTES = 1 << 16;

    /** An op and the types it was applied to. */
    private record Applied(Op op, List<Type> types) {}

    private static final LinkedHashMap<Applied, PreparedProgram> READY =
            new LinkedHashMap<>(16, 0.75f, true);

    public EagerEngine() {}

    @Override
    public List<Array> apply(Op op, List<Array> operands) {
        var types = operands.stream().map(Array::type).toList();
        if (types.stream().mapToLong(Type::bytes).sum() > SMALL_BYTES)
            return run(graph(op, types), operands);
        synchronized (READY) {
            var key = new Applied(op, types);
            var ready = READY.get(key);
            if (ready != null) return ready.run(operands.toArray(Array[]::new));
            var graph = graph(op, types);
            var made = PreparedProgram.of(graph, List.of(), types.size(), Devices.planner());
            if (made.plan().peakBytes() <= SMALL_BYTES) {
                READY.put(key, made);
                if (READY.size() > MOST) READY.pollFirstEntry().getValue().close();
                return made.run(operands.toArray(Array[]::new));
            }
            try (made) {
                return made.run(operands.toArray(Array[]::new));
            }
        }
    }

    private static Graph graph(Op op, List<Type> types) {
        var g = new Graph.Builder();
        return g.build(g.emit(op, types.stream().map(g::param).toList()));
    }

    /** The number of cached programs. */
    static int ready() {
        synchronized (READY) {
            return READY.size();
        }
    }

    @Override
    public List<Array> run(Graph graph, List<Array> operands) {
        try (var prepared =
                PreparedProgram.of(graph, List.of(), operands.size(), Devices.planner())) {
            return prepared.run(operands.toArray(Array[]::new));
        }
    }
}
