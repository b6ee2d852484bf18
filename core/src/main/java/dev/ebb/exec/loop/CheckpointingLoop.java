package dev.ebb.exec.loop;

import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Memory;
import dev.ebb.plan.loop.CheckpointSplits;

import java.util.List;

/**
 * A forward loop that will be reversed: it saves checkpoints, and tapes its last iterations as it
 * runs them, so that the reverse starts without running any of them again.
 */
final class CheckpointingLoop implements Runnable {
    private final Control.Scan k;
    private final Session session;
    private final CheckpointSplits splits;
    private final CheckpointPool pool;
    private final TapingBody taped;
    private final LoopBody iterations;
    private final List<Buffer> counts;
    private final List<Buffer> first;
    private final List<Buffer> stacks;
    private final List<Buffer> carries;
    private final List<Buffer> given;

    CheckpointingLoop(
            Control.Scan k,
            CheckpointArea area,
            Control.Taping taping,
            Session session,
            List<Buffer> all,
            List<Buffer> out,
            Memory memory,
            CheckpointStore elsewhere) {
        this.k = k;
        this.session = session;
        splits = CheckpointSplits.of(k.costs(), area, k.times());
        counts = k.counted() ? all.subList(0, 1) : List.of();
        var in = k.counted() ? all.subList(1, all.size()) : all;
        carries = out.subList(0, k.carries());
        given = out.subList(k.carries(), out.size() - 1);
        var constants = in.subList(0, k.constants());
        iterations = new LoopBody(k, k.body(), session, memory, constants, carries);
        pool = new CheckpointPool(session, out.getLast().memory(), area, elsewhere);
        taped =
                new TapingBody(
                        new LoopBody(k, taping.body(), session, memory, constants, carries),
                        taping.carries().stream().map(carries::get).toList(),
                        given.size());
        first = in.subList(k.constants(), k.constants() + k.carries());
        stacks = in.subList(k.constants() + k.carries(), in.size());
    }

    @Override
    public void run() {
        int count = counts.isEmpty() ? k.times() : (int) session.readLong(counts.getFirst(), 0);
        var saved = splits.positions(count);
        int level = saved.size();
        int from = saved.isEmpty() ? 0 : saved.getLast();
        int taping = splits.taped(from, count, level);
        int next = 0;
        pool.elsewhere().begin();
        session.copy(first, carries);
        for (int t = 0; t < count; t++) {
            long place = k.reverse() ? count - 1 - t : t;
            if (next < level && saved.get(next) == t) pool.save(carries, next++);
            if (t < taping) {
                iterations.feed(stacks, 0, place);
                iterations.run();
                iterations.stack(iterations.results(), given, place);
            } else {
                taped.run(stacks, place, pool, pool.tape(level, t - taping));
                iterations.stack(taped.results(), given, place);
            }
        }
        ForwardLoops.clear(session, given, iterations.results(), count);
        pool.elsewhere().settle();
    }
}
