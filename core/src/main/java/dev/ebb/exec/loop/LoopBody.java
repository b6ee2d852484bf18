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
 * A loop's body bound to memory: constants and carries lie outside it, each round replaces the
 * carries in place, and slices are passed in.
 */
final class LoopBody {
    private final Session session;
    private final BoundSteps steps;
    private final List<Buffer> slices;
    private final List<Buffer> given;

    /** Rounds of {@code loop}, run as {@code body} has them. */
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
        given = List.copyOf(steps.results().subList(loop.carries(), steps.results().size()));
    }

    /** {@code body} gives the next carries first, and what else it gives after them. */
    static NestedGraph nested(Control.Scan loop, Graph body, Device device) {
        return new NestedGraph(body, loop.constants(), loop.carries(), device);
    }

    /** Where slice number {@code i} of the next round is to be put. */
    Buffer slice(int i) {
        return slices.get(i);
    }

    List<Buffer> slices(int from, int to) {
        return slices.subList(from, to);
    }

    /** What the latest round gave beside its carries. */
    List<Buffer> given() {
        return given;
    }

    /**
     * Feeds slices {@code from, from + 1, ...} of the round that reads {@code place} from their
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

    /** Puts {@code slices} at {@code place} of their stacks. */
    void stack(List<Buffer> slices, List<Buffer> stacks, long place) {
        for (int i = 0; i < slices.size(); i++) {
            var y = slices.get(i);
            session.copy(y.memory(), 0, stacks.get(i).memory(), place * y.bytes(), y.bytes());
        }
    }
}
