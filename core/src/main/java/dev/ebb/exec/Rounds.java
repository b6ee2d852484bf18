package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A loop's body bound to memory: its carries in place, fed slice by slice. */
final class Rounds {
    private final Kernel.Scan loop;
    private final Steps steps;
    private final int first;

    Rounds(Kernel.Scan loop, Device device, MemorySegment memory, List<Buffer> constants) {
        this.loop = loop;
        this.steps = nested(loop, device).bind(device, memory, constants);
        this.first = loop.constants() + loop.carries();
    }

    static Nested nested(Kernel.Scan loop, Device device) {
        return new Nested(loop.body(), loop.constants(), loop.carries(), device);
    }

    /** The carries, where the next round reads them and leaves them. */
    List<Buffer> carries() {
        return steps.params().subList(loop.constants(), first);
    }

    /** Where slice number {@code i} of the next round is to be put. */
    Buffer slice(int i) {
        return steps.params().get(first + i);
    }

    /** The slices that the latest round gave. */
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

    static void unstack(List<Buffer> stacks, long place, List<Buffer> slices) {
        for (int i = 0; i < slices.size(); i++) {
            var y = slices.get(i);
            MemorySegment.copy(
                    stacks.get(i).segment(), place * y.bytes(), y.segment(), 0, y.bytes());
        }
    }

    static void copy(List<Buffer> from, List<Buffer> to) {
        unstack(from, 0, to);
    }
}
