package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A loop's body bound to memory: constants and carries lie outside, the carries are replaced where
 * they lie, slices are fed in.
 */
final class Rounds {
    private final Control.Scan loop;
    private final Steps steps;
    private final int first;

    /** Rounds of {@code loop}, run as {@code body} has them. */
    Rounds(
            Control.Scan loop,
            Graph body,
            Device device,
            MemorySegment memory,
            List<Buffer> constants,
            List<Buffer> carries) {
        this.loop = loop;
        var outside = new ArrayList<>(constants);
        outside.addAll(carries);
        this.steps = nested(loop, body, device).bind(device, memory, outside);
        this.first = loop.constants() + loop.carries();
    }

    /** {@code body} gives the next carries first, and what else it gives after them. */
    static Nested nested(Control.Scan loop, Graph body, Device device) {
        return new Nested(body, loop.constants(), loop.carries(), device);
    }

    /** Where slice number {@code i} of the next round is to be put. */
    Buffer slice(int i) {
        return steps.params().get(first + i);
    }

    List<Buffer> slices(int from, int to) {
        return steps.params().subList(first + from, first + to);
    }

    /** What the latest round gave beside its carries. */
    List<Buffer> given() {
        return steps.results().subList(loop.carries(), steps.results().size());
    }

    /**
     * Feeds slices {@code from, from + 1, ...} of the round that reads {@code place} from their
     * stacks.
     */
    void feed(List<Buffer> stacks, int from, long place) {
        for (int i = 0; i < stacks.size(); i++) {
            var x = slice(from + i);
            MemorySegment.copy(
                    stacks.get(i).segment(), place * x.bytes(), x.segment(), 0, x.bytes());
        }
    }

    void run() {
        steps.run();
    }

    static void stack(List<Buffer> slices, List<Buffer> stacks, long place) {
        for (int i = 0; i < slices.size(); i++) {
            var y = slices.get(i);
            MemorySegment.copy(
                    y.segment(), 0, stacks.get(i).segment(), place * y.bytes(), y.bytes());
        }
    }

    static void copy(List<Buffer> from, List<Buffer> to) {
        for (int i = 0; i < to.size(); i++) {
            var y = to.get(i);
            MemorySegment.copy(from.get(i).segment(), 0, y.segment(), 0, y.bytes());
        }
    }
}
