package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;

import java.util.ArrayList;
import java.util.List;

/**
 * A loop's body bound to memory: constants and carries lie outside it, each iteration replaces the
 * carries in place, and slices are passed in.
 */
final class LoopBody {
    private final Session session;
    private final BoundSteps steps;
    private final List<Buffer> slices;
    private final List<Buffer> results;

    /** The iterations of {@code loop}, run by {@code body}. */
    LoopBody(
            Control.Scan loop,
            Graph body,
            Session session,
            Memory memory,
            List<Buffer> constants,
            List<Buffer> carries) {
        this.session = session;
        var outside = new ArrayList<>(constants);
        outside.addAll(carries);
        this.steps = nested(loop, body, session.device()).bind(session, memory, outside);
        int first = loop.constants() + loop.carries();
        slices = List.copyOf(steps.params().subList(first, steps.params().size()));
        results = List.copyOf(steps.results().subList(loop.carries(), steps.results().size()));
    }

    /** {@code body} returns the next carries first, then its other results. */
    static NestedGraph nested(Control.Scan loop, Graph body, Device device) {
        return new NestedGraph(body, loop.constants(), loop.carries(), device);
    }

    /** The buffer for slice {@code i} of the next iteration. */
    Buffer slice(int i) {
        return slices.get(i);
    }

    List<Buffer> slices(int from, int to) {
        return slices.subList(from, to);
    }

    /** The results of the latest iteration other than its carries. */
    List<Buffer> results() {
        return results;
    }

    /**
     * Loads slices {@code from, from + 1, ...} for the iteration at index {@code place} from their
     * stacks.
     */
    void feed(List<Buffer> stacks, int from, long place) {
        for (int i = 0; i < stacks.size(); i++) {
            var x = slice(from + i);
            session.copy(stacks.get(i).memory(), place * x.bytes(), x.memory(), 0, x.bytes());
        }
    }

    void run() {
        steps.run();
    }

    Session session() {
        return session;
    }

    /** Stores {@code slices} at index {@code place} of their stacks. */
    void stack(List<Buffer> slices, List<Buffer> stacks, long place) {
        for (int i = 0; i < slices.size(); i++) {
            var y = slices.get(i);
            session.copy(y.memory(), 0, stacks.get(i).memory(), place * y.bytes(), y.bytes());
        }
    }
}
