package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Control.ReverseStart;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Value;
import dev.ebb.plan.loop.CheckpointSplits;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs the reverse of a loop in bounded memory. Checkpoints are on a stack, the latest on top. From
 * it the loop runs forwards and saves further checkpoints where {@link CheckpointSplits} says,
 * until the remaining iterations can be taped. These are taped and reversed; then the iterations
 * before them are reversed in the same way.
 */
final class ReverseLoop implements Runnable {
    private final Control.ReverseScan scan;
    private final Session session;
    private final CheckpointSplits splits;
    private final CheckpointPool pool;
    private final List<Buffer> carries = new ArrayList<>();
    private final LoopBody ahead;
    private final TapingBody taped;
    private final TapingBody last;
    private final LoopBody back;
    private final List<Buffer> firstCarries;
    private final List<Buffer> forwardStacks;
    private final List<Buffer> backFirst;
    private final List<Buffer> backStacks;
    private final List<Buffer> out;
    private final List<Buffer> counts;
    private final List<Buffer> positions;
    private final int tapeSlices;

    /** The iterations whose initial states are saved, in order. */
    private final List<Integer> saved = new ArrayList<>();

    private int count;

    ReverseLoop(
            Control.ReverseScan scan,
            Session session,
            List<Buffer> all,
            List<Buffer> out,
            Memory memory,
            CheckpointStore elsewhere) {
        this.scan = scan;
        this.session = session;
        this.out = out;
        var f = scan.forward();
        var b = scan.backward();
        splits = CheckpointSplits.of(f.costs(), scan.area(), f.times());
        int forwardInputs = f.body().params().size();
        counts = f.counted() ? all.subList(0, 1) : List.of();
        var in = f.counted() ? all.subList(1, all.size()) : all;
        int second = forwardInputs + left(scan.start());
        long at = 0;
        for (Value p : carried(scan)) {
            var type = p.type();
            carries.add(new Buffer(type.dtype(), type.size(), memory.slice(at, type.bytes())));
            at += CheckpointArea.bytes(type);
        }
        var own = scan.start() == ReverseStart.EMPTY;
        var keeps = own ? rest(memory, at) : in.get(forwardInputs).memory();
        pool = new CheckpointPool(session, keeps, scan.area(), elsewhere);
        if (own) at += scan.area().type().bytes();
        var rest = rest(memory, at);
        var constants = in.subList(0, f.constants());
        var kept = scan.taping().carries().stream().map(carries::get).toList();
        ahead = new LoopBody(f, f.body(), session, rest, constants, carries);
        taped =
                new TapingBody(
                        new LoopBody(f, scan.taping().body(), session, rest, constants, carries),
                        kept,
                        0);
        var alone =
                new LoopBody(
                        reading(f), scan.tapeOnly(), session, rest, seen(constants), List.of());
        last = new TapingBody(alone, kept, 0);
        var backCarries = out.subList(0, b.carries());
        back =
                new LoopBody(
                        b,
                        b.body(),
                        session,
                        rest,
                        in.subList(second, second + b.constants()),
                        backCarries);
        firstCarries = in.subList(f.constants(), f.constants() + f.carries());
        forwardStacks = in.subList(f.constants() + f.carries(), forwardInputs);
        positions =
                scan.start() == ReverseStart.ONLINE ? in.subList(second - 1, second) : List.of();
        int carried = second + b.constants();
        backFirst = in.subList(carried, carried + b.carries());
        backStacks = in.subList(carried + b.carries(), in.size());
        tapeSlices = b.body().params().size() - b.constants() - b.carries() - backStacks.size();
    }

    private static Memory rest(Memory memory, long from) {
        return memory.slice(from, memory.bytes() - from);
    }

    private List<Buffer> seen(List<Buffer> constants) {
        var seen = new ArrayList<>(constants);
        seen.addAll(carries);
        return seen;
    }

    /** The forward loop as one whose carries are only read. */
    private static Control.Scan reading(Control.Scan f) {
        return new Control.Scan(
                f.body(),
                f.times(),
                f.constants() + f.carries(),
                0,
                f.reverse(),
                f.counted(),
                f.checkpointing());
    }

    private static int left(ReverseStart start) {
        return switch (start) {
            case EMPTY -> 0;
            case CHECKPOINTED -> 1;
            case ONLINE -> 2;
        };
    }

    private static List<Value> carried(Control.ReverseScan scan) {
        var f = scan.forward();
        return f.body().params().subList(f.constants(), f.constants() + f.carries());
    }

    static long workspaceBytes(Control.ReverseScan scan, Device device) {
        var f = scan.forward();
        long bytes = 0;
        for (Graph body : List.of(f.body(), scan.taping().body()))
            bytes = Math.max(bytes, LoopBody.nested(f, body, device).bytes());
        bytes = Math.max(bytes, LoopBody.nested(reading(f), scan.tapeOnly(), device).bytes());
        bytes =
                Math.max(
                        bytes,
                        LoopBody.nested(scan.backward(), scan.backward().body(), device).bytes());
        if (scan.start() == ReverseStart.EMPTY) bytes += scan.area().type().bytes();
        for (Value p : carried(scan)) bytes += CheckpointArea.bytes(p.type());
        return bytes;
    }

    @Override
    public void run() {
        session.copy(backFirst, out.subList(0, scan.backward().carries()));
        count =
                counts.isEmpty()
                        ? scan.forward().times()
                        : (int) session.readLong(counts.getFirst(), 0);
        clear();
        saved.clear();
        int to = count;
        switch (scan.start()) {
            case EMPTY -> {}
            case CHECKPOINTED -> {
                saved.addAll(splits.positions(count));
                int from = saved.isEmpty() ? 0 : saved.getLast();
                int first = splits.taped(from, count, saved.size());
                expect(first);
                reverse(first, count);
                to = first;
            }
            case ONLINE -> sort();
        }
        while (to > 0) to = stretch(to);
        pool.elsewhere().settle();
    }

    /**
     * Called when all iterations from {@code first} on are reversed: announces the latest state
     * before them as the next to be restored.
     */
    private void expect(int first) {
        if (first == 0) return;
        int next = saved.size() - 1;
        if (next >= 0 && saved.get(next) >= first) next--;
        pool.expect(next, carries);
    }

    /**
     * Reverses the last iterations before {@code to}; returns the first iteration that it reversed.
     */
    private int stretch(int to) {
        while (!saved.isEmpty() && saved.getLast() >= to) saved.removeLast();
        int from = saved.isEmpty() ? 0 : saved.getLast();
        if (saved.isEmpty()) session.copy(firstCarries, carries);
        else pool.restore(saved.size() - 1, carries);
        for (int middle; (middle = splits.next(from, to, saved.size())) > from; from = middle) {
            advance(from, middle);
            pool.save(carries, saved.size());
            saved.add(middle);
        }
        int level = saved.size();
        int first = splits.taped(from, to, level);
        advance(from, first);
        expect(first);
        for (int t = first; t < to; t++) {
            var how = t == to - 1 ? last : taped;
            how.run(forwardStacks, place(t), pool, pool.tape(level, t - first));
        }
        reverse(first, to);
        return first;
    }

    /** Sorts the saved states by iteration. */
    private void sort() {
        var iterations = positions.getFirst();
        var order = new ArrayList<Integer>();
        for (int slot = 0; slot < iterations.size(); slot++)
            order.add((int) session.readLong(iterations, slot));
        for (int i = 0; i < order.size(); i++) {
            int least = -1;
            for (int j = i; j < order.size(); j++) {
                if (order.get(j) < 0) continue;
                if (least < 0 || order.get(j) < order.get(least)) least = j;
            }
            if (least < 0) break;
            if (least != i) {
                pool.restore(least, carries);
                long state = scan.area().state();
                session.copy(pool.memory(), i * state, pool.memory(), least * state, state);
                pool.save(carries, i);
                int other = order.get(i);
                order.set(i, order.get(least));
                order.set(least, other);
            }
            saved.add(order.get(i));
        }
    }

    /** Sets the output slices of the iterations that did not run to zero. */
    private void clear() {
        if (count == scan.forward().times()) return;
        for (var stack : out.subList(scan.backward().carries(), out.size()))
            session.queue().clear(stack.memory());
    }

    private long place(int t) {
        return scan.forward().reverse() ? count - 1 - t : t;
    }

    private void advance(int from, int to) {
        for (int t = from; t < to; t++) {
            ahead.feed(forwardStacks, 0, place(t));
            ahead.run();
        }
    }

    /** Reverses iterations {@code [from, to)}, whose tapes are above all saved states. */
    private void reverse(int from, int to) {
        var tape = back.slices(0, tapeSlices);
        var given = out.subList(scan.backward().carries(), out.size());
        for (int t = to - 1; t >= from; t--) {
            pool.read(pool.tape(saved.size(), t - from), tape);
            back.feed(backStacks, tapeSlices, place(t));
            back.run();
            back.stack(back.results(), given, place(t));
        }
    }
}
