package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.plan.Revolve;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The reverse sweep over a loop with few checkpoints. Stretches of rounds wait on a stack, the last one first; a
 * stretch is split where {@link Revolve} says and its second half done first, until single rounds remain. The
 * forward loop already left its carries where the first descent wants them.
 */
final class Sweeping implements Runnable {
    private final Kernel.Sweep sweep;
    private final Rounds ahead;
    private final Rounds back;
    private final List<Buffer> firstCarries;
    private final List<Buffer> forwardStacks;
    private final List<Buffer> checkpoints;
    private final List<Buffer> backCarries;
    private final List<Buffer> backStacks;
    private final List<Buffer> out;

    Sweeping(Kernel.Sweep sweep, Device device, List<Buffer> in, List<Buffer> out, MemorySegment memory) {
        this.sweep = sweep;
        this.out = out;
        var f = sweep.forward();
        var b = sweep.backward();
        long half = Rounds.nested(f, device).bytes();
        int forwardInputs = f.body().params().size();
        int second = forwardInputs + f.carries();
        ahead = new Rounds(f, device, memory.asSlice(0, half), in.subList(0, f.constants()));
        back = new Rounds(b, device, memory.asSlice(half), in.subList(second, second + b.constants()));
        firstCarries = in.subList(f.constants(), f.constants() + f.carries());
        forwardStacks = in.subList(f.constants() + f.carries(), forwardInputs);
        checkpoints = in.subList(forwardInputs, second);
        int carried = second + b.constants();
        backCarries = in.subList(carried, carried + b.carries());
        backStacks = in.subList(carried + b.carries(), in.size());
    }

    static long workspaceBytes(Kernel.Sweep sweep, Device device) {
        return Rounds.nested(sweep.forward(), device).bytes() + Rounds.nested(sweep.backward(), device).bytes();
    }

    /** The rounds, besides the first, whose carries a loop of {@code times} rounds is to leave as checkpoints. */
    static List<Integer> positions(int times, int slots) {
        var positions = new ArrayList<Integer>();
        int from = 0;
        for (int left = slots; left > 1 && times - from > 1; left--) {
            from += (int) Revolve.split(times - from, left);
            positions.add(from);
        }
        return positions;
    }

    @Override
    public void run() {
        Rounds.copy(backCarries, back.carries());
        int to = sweep.forward().times();
        var saved = new ArrayList<>(List.of(0));
        saved.addAll(positions(to, sweep.slots()));
        while (to > 0) {
            int from = saved.getLast();
            int free = sweep.slots() - saved.size() + 1;
            restore(saved.size() - 1);
            if (to - from == 1 || free == 1) {
                advance(from, to - 1);
                reverse(--to);
                if (to == from) saved.removeLast();
            } else {
                int middle = from + (int) Revolve.split(to - from, free);
                advance(from, middle);
                Rounds.stack(ahead.carries(), checkpoints, saved.size() - 1);
                saved.add(middle);
            }
        }
        Rounds.copy(back.carries(), out.subList(0, sweep.backward().carries()));
    }

    private void restore(int slot) {
        if (slot == 0) Rounds.copy(firstCarries, ahead.carries());
        else Rounds.unstack(checkpoints, slot - 1, ahead.carries());
    }

    private void advance(int from, int to) {
        for (int t = from; t < to; t++) {
            ahead.feed(forwardStacks, 0, ahead.place(t));
            ahead.run();
        }
    }

    private void reverse(int t) {
        long place = ahead.place(t);
        for (int i = 0; i < ahead.carries().size(); i++) {
            var to = back.slice(i);
            MemorySegment.copy(ahead.carries().get(i).segment(), 0, to.segment(), 0, to.bytes());
        }
        back.feed(backStacks, ahead.carries().size(), place);
        back.run();
        Rounds.stack(back.given(), out.subList(sweep.backward().carries(), out.size()), place);
    }
}
