package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.Memory;
import dev.ebb.plan.loop.OnlineCheckpoints;

import java.util.ArrayList;
import java.util.List;

/** Forward loops: a fixed or counted number of iterations, or while a condition holds. */
final class ForwardLoops {
    private ForwardLoops() {}

    static long workspaceBytes(Control.Scan k, Device device) {
        long bytes = 0;
        for (var body : k.withoutInverse().bodies())
            bytes = Math.max(bytes, LoopBody.nested(k, body, device).bytes());
        return bytes;
    }

    static Runnable scan(
            Control.Scan k,
            Session session,
            List<Buffer> all,
            List<Buffer> out,
            Memory memory,
            CheckpointStore elsewhere) {
        return switch (k.checkpointing()) {
            case Checkpointing.Nothing _, Checkpointing.Everything _ ->
                    plain(k, session, all, out, memory);
            case Checkpointing.Checkpoints(var area, var taping) ->
                    new CheckpointingLoop(k, area, taping, session, all, out, memory, elsewhere);
            case Checkpointing.Online _ ->
                    throw new IllegalStateException(
                            "a loop of known length has a fixed checkpointing schedule");
        };
    }

    private static Runnable plain(
            Control.Scan k, Session session, List<Buffer> all, List<Buffer> out, Memory memory) {
        var in = k.counted() ? all.subList(1, all.size()) : all;
        var carries = out.subList(0, k.carries());
        var iterations =
                new LoopBody(k, k.body(), session, memory, in.subList(0, k.constants()), carries);
        var first = in.subList(k.constants(), k.constants() + k.carries());
        var stacks = in.subList(k.constants() + k.carries(), in.size());
        int results = k.body().results().size();
        var given = out.subList(k.carries(), results);
        var remembered = out.subList(results, out.size());
        return () -> {
            int count = k.counted() ? (int) session.readLong(all.getFirst(), 0) : k.times();
            session.copy(first, carries);
            for (int t = 0; t < count; t++) {
                long place = k.reverse() ? count - 1 - t : t;
                iterations.feed(stacks, 0, place);
                if (!remembered.isEmpty()) iterations.stack(carries, remembered, place);
                iterations.run();
                iterations.stack(iterations.results(), given, place);
            }
            clear(session, given, iterations.results(), count);
            if (!remembered.isEmpty()) clear(session, remembered, carries, count);
        };
    }

    /** Sets the output slices of the iterations that did not run to zero. */
    static void clear(Session session, List<Buffer> stacks, List<Buffer> slices, long from) {
        for (int i = 0; i < stacks.size(); i++) {
            var stack = stacks.get(i);
            long used = from * slices.get(i).bytes();
            if (used < stack.bytes())
                session.queue().clear(stack.memory().slice(used, stack.bytes() - used));
        }
    }

    private static NestedGraph condition(Control.While k, Device device) {
        return new NestedGraph(k.condition(), k.constants() + k.carries(), 0, device);
    }

    static long workspaceBytes(Control.While k, Device device) {
        return Math.max(
                LoopBody.nested(k.iterations(new Checkpointing.Nothing()), k.body(), device)
                        .bytes(),
                condition(k, device).bytes());
    }

    static Runnable whileTrue(
            Control.While k, Session session, List<Buffer> in, List<Buffer> out, Memory memory) {
        var carries = out.subList(0, k.carries());
        var constants = in.subList(0, k.constants());
        var iterations =
                new LoopBody(
                        k.iterations(new Checkpointing.Nothing()),
                        k.body(),
                        session,
                        memory,
                        constants,
                        carries);
        var seen = new ArrayList<>(constants);
        seen.addAll(carries);
        var condition = condition(k, session.device()).bind(session, memory, seen);
        int plain = 1 + k.body().results().size();
        var stacks = out.subList(k.carries() + 1, plain);
        var remembered = out.subList(plain, out.size());
        return () -> {
            session.copy(in.subList(k.constants(), in.size()), carries);
            var keeper = keeper(k.checkpointing(), iterations, carries, remembered);
            int count = 0;
            for (; ; count++) {
                condition.run();
                if (session.readLong(condition.results().getFirst(), 0) == 0) break;
                if (count == k.limit()) {
                    throw new IllegalStateException(
                            "a while loop did not end within its limit of "
                                    + k.limit()
                                    + " iterations; raise the limit, or correct its condition");
                }
                keeper.before(count);
                iterations.run();
                iterations.stack(iterations.results(), stacks, count);
            }
            clear(session, stacks, iterations.results(), count);
            session.writeLong(out.get(k.carries()), 0, count);
            keeper.end(count);
        };
    }

    /** Keeps states of a loop while it runs. */
    private interface Keeper {
        void before(int iteration);

        void end(int count);
    }

    private static Keeper keeper(
            Checkpointing checkpointing,
            LoopBody iterations,
            List<Buffer> carries,
            List<Buffer> remembered) {
        return switch (checkpointing) {
            case Checkpointing.Nothing _ -> new All(iterations, List.of(), List.of());
            case Checkpointing.Everything _ -> new All(iterations, carries, remembered);
            case Checkpointing.Online(var area) ->
                    new Latest(iterations.session(), area, carries, remembered);
            case Checkpointing.Checkpoints _ ->
                    throw new IllegalStateException(
                            "a loop of unknown length cannot tape its last iterations");
        };
    }

    private record All(LoopBody iterations, List<Buffer> carries, List<Buffer> stacks)
            implements Keeper {
        @Override
        public void before(int iteration) {
            iterations.stack(carries, stacks, iteration);
        }

        @Override
        public void end(int count) {
            clear(iterations.session(), stacks, carries, count);
        }
    }

    private static final class Latest implements Keeper {
        private final Session session;
        private final OnlineCheckpoints online;
        private final CheckpointPool pool;
        private final List<Buffer> carries;
        private final Buffer positions;

        Latest(Session session, CheckpointArea area, List<Buffer> carries, List<Buffer> left) {
            this.session = session;
            online = new OnlineCheckpoints(area.levels() + 1);
            pool = new CheckpointPool(session, left.getFirst().memory(), area);
            this.carries = carries;
            positions = left.getLast();
        }

        @Override
        public void before(int iteration) {
            int slot = online.offer(iteration) - 1;
            if (slot >= 0) pool.save(carries, slot);
        }

        /** Writes the iteration number of each state, -1 for none. */
        @Override
        public void end(int count) {
            for (long i = 0; i < positions.size(); i++) session.writeLong(positions, i, -1);
            for (int i = 1; i < online.kept().size(); i++) {
                session.writeLong(positions, online.places().get(i) - 1, online.kept().get(i));
            }
        }
    }
}
