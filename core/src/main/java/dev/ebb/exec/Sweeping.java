package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.plan.Splits;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The reverse sweep over a loop with few checkpoints. Stretches of rounds wait on a stack, the last
 * one first; a stretch is split where {@link Splits} says and its second half done first, until
 * single rounds remain. The forward loop already left its carries where the first descent wants
 * them.
 */
final class Sweeping implements Runnable {
    private final Kernel.Sweep sweep;
    private final Splits splits;
    private final Rounds ahead;
    private final Rounds back;
    private final List<Buffer> firstCarries;
    private final List<Buffer> forwardStacks;
    private final List<Buffer> checkpoints;
    private final List<Buffer> backCarries;
    private final List<Buffer> backStacks;
    private final List<Buffer> out;
    private final List<Buffer> counts;
    private final List<Buffer> rounds;

    Sweeping(
            Kernel.Sweep sweep,
            Device device,
            List<Buffer> all,
            List<Buffer> out,
            MemorySegment memory) {
        this.sweep = sweep;
        this.out = out;
        splits = Splits.of(sweep.forward().pace(), sweep.slots());
        var f = sweep.forward();
        var b = sweep.backward();
        long half = Rounds.nested(f, device).bytes();
        int forwardInputs = f.body().params().size();
        int second = forwardInputs + f.carries() + (f.counted() ? 1 : 0);
        counts = f.counted() ? all.subList(0, 1) : List.of();
        var in = f.counted() ? all.subList(1, all.size()) : all;
        ahead = new Rounds(f, device, memory.asSlice(0, half), in.subList(0, f.constants()));
        back =
                new Rounds(
                        b,
                        device,
                        memory.asSlice(half),
                        in.subList(second, second + b.constants()));
        firstCarries = in.subList(f.constants(), f.constants() + f.carries());
        forwardStacks = in.subList(f.constants() + f.carries(), forwardInputs);
        checkpoints = in.subList(forwardInputs, forwardInputs + f.carries());
        rounds = in.subList(forwardInputs + f.carries(), second);
        int carried = second + b.constants();
        backCarries = in.subList(carried, carried + b.carries());
        backStacks = in.subList(carried + b.carries(), in.size());
    }

    static long workspaceBytes(Kernel.Sweep sweep, Device device) {
        return Rounds.nested(sweep.forward(), device).bytes()
                + Rounds.nested(sweep.backward(), device).bytes();
    }

    @Override
    public void run() {
        Rounds.copy(backCarries, back.carries());
        int to = counts.isEmpty() ? sweep.forward().times() : (int) counts.getFirst().getLong(0);
        int count = to;
        clear(count);
        var saved = saved(to);
        while (to > 0) {
            var last = saved.getLast();
            int free = sweep.slots() - saved.size() + 1;
            restore(last.slot);
            if (to - last.round == 1 || free == 1) {
                advance(last.round, to - 1, count);
                reverse(--to, count);
                if (to == last.round) saved.removeLast();
            } else {
                int middle = splits.middle(last.round, to, free);
                advance(last.round, middle, count);
                int slot = freeSlot(saved);
                Rounds.stack(ahead.carries(), checkpoints, slot);
                saved.add(new Saved(middle, slot));
            }
        }
        Rounds.copy(back.carries(), out.subList(0, sweep.backward().carries()));
    }

    /**
     * The first carries of {@code round} lie in checkpoint {@code slot}; -1 is the loop's own
     * input.
     */
    private record Saved(int round, int slot) {}

    private List<Saved> saved(int times) {
        var saved = new ArrayList<>(List.of(new Saved(0, -1)));
        if (rounds.isEmpty()) {
            for (int round : splits.positions(times, sweep.slots()))
                saved.add(new Saved(round, saved.size() - 1));
        } else {
            for (int slot = 0; slot < rounds.getFirst().size(); slot++) {
                int round = (int) rounds.getFirst().getLong(slot);
                if (round >= 0) saved.add(new Saved(round, slot));
            }
            saved.sort(Comparator.comparingInt(Saved::round));
        }
        return saved;
    }

    private int freeSlot(List<Saved> saved) {
        var taken = saved.stream().map(Saved::slot).toList();
        int slot = 0;
        while (taken.contains(slot)) slot++;
        return slot;
    }

    /** Slices of rounds that do not run are zero. */
    private void clear(int count) {
        if (count == sweep.forward().times()) return;
        for (var stack : out.subList(sweep.backward().carries(), out.size()))
            stack.segment().fill((byte) 0);
    }

    private void restore(int slot) {
        if (slot < 0) Rounds.copy(firstCarries, ahead.carries());
        else Rounds.unstack(checkpoints, slot, ahead.carries());
    }

    private long place(int t, int count) {
        return sweep.forward().reverse() ? count - 1 - t : t;
    }

    private void advance(int from, int to, int count) {
        for (int t = from; t < to; t++) {
            ahead.feed(forwardStacks, 0, place(t, count));
            ahead.run();
        }
    }

    private void reverse(int t, int count) {
        long place = place(t, count);
        for (int i = 0; i < ahead.carries().size(); i++) {
            var to = back.slice(i);
            MemorySegment.copy(ahead.carries().get(i).segment(), 0, to.segment(), 0, to.bytes());
        }
        back.feed(backStacks, ahead.carries().size(), place);
        back.run();
        Rounds.stack(back.given(), out.subList(sweep.backward().carries(), out.size()), place);
    }
}
