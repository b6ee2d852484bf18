package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.plan.Online;
import dev.ebb.plan.Splits;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Loops forwards: a known or counted number of rounds, or while a condition holds. */
final class Looping {
    private Looping() {}

    static Runnable scan(
            Kernel.Scan k,
            Device device,
            List<Buffer> all,
            List<Buffer> out,
            MemorySegment memory) {
        var in = k.counted() ? all.subList(1, all.size()) : all;
        var rounds = new Rounds(k, device, memory, in.subList(0, k.constants()));
        var carries = in.subList(k.constants(), k.constants() + k.carries());
        var stacks = in.subList(k.constants() + k.carries(), in.size());
        int results = k.body().results().size();
        var given = out.subList(k.carries(), results);
        var remembered = out.subList(results, out.size());
        var places = places(k);
        boolean everything = k.remember() instanceof Kernel.Remember.Everything;
        return () -> {
            int count = k.counted() ? (int) all.getFirst().getLong(0) : k.times();
            Rounds.copy(carries, rounds.carries());
            for (int t = 0; t < count; t++) {
                long place = k.reverse() ? count - 1 - t : t;
                rounds.feed(stacks, 0, place);
                if (everything) Rounds.stack(rounds.carries(), remembered, place);
                else if (places.containsKey(t))
                    Rounds.stack(rounds.carries(), remembered, places.getOrDefault(t, 0));
                rounds.run();
                Rounds.stack(rounds.given(), given, place);
            }
            clear(given, rounds.given(), count);
            if (everything) clear(remembered, rounds.carries(), count);
            Rounds.copy(rounds.carries(), out.subList(0, k.carries()));
        };
    }

    private static void clear(List<Buffer> stacks, List<Buffer> slices, long from) {
        for (int i = 0; i < stacks.size(); i++) {
            var stack = stacks.get(i);
            long used = from * slices.get(i).bytes();
            if (used < stack.bytes())
                stack.segment().asSlice(used, stack.bytes() - used).fill((byte) 0);
        }
    }

    /** For each round whose first carries are a checkpoint, the number of that checkpoint. */
    private static Map<Integer, Integer> places(Kernel.Scan k) {
        var places = new HashMap<Integer, Integer>();
        switch (k.remember()) {
            case Kernel.Remember.Checkpoints(int slots) ->
                    Splits.of(k.pace(), slots)
                            .positions(k.times(), slots)
                            .forEach(t -> places.put(t, places.size()));
            case Kernel.Remember.Nothing _, Kernel.Remember.Everything _ -> {}
        }
        return places;
    }

    /** The body of a while loop as one of at most as many rounds as its limit. */
    static Kernel.Scan rounds(Kernel.While k) {
        return new Kernel.Scan(
                k.body(), k.limit(), k.constants(), k.carries(), false, true, k.remember());
    }

    static Nested condition(Kernel.While k, Device device) {
        return new Nested(k.condition(), k.constants(), 0, device);
    }

    static long workspaceBytes(Kernel.While k, Device device) {
        return Rounds.nested(rounds(k), device).bytes() + condition(k, device).bytes();
    }

    static Runnable whileTrue(
            Kernel.While k,
            Device device,
            List<Buffer> in,
            List<Buffer> out,
            MemorySegment memory) {
        var constants = in.subList(0, k.constants());
        long half = Rounds.nested(rounds(k), device).bytes();
        var rounds = new Rounds(rounds(k), device, memory.asSlice(0, half), constants);
        var condition = condition(k, device).bind(device, memory.asSlice(half), constants);
        var asked = condition.params().subList(k.constants(), k.constants() + k.carries());
        var remembered = out.subList(k.carries() + 1, k.carries() + 1 + rememberedStacks(k));
        return () -> {
            Rounds.copy(in.subList(k.constants(), in.size()), rounds.carries());
            var online =
                    k.remember() instanceof Kernel.Remember.Checkpoints(int slots)
                            ? new Online(slots)
                            : new Online(1);
            boolean everything = k.remember() instanceof Kernel.Remember.Everything;
            int count = 0;
            for (; ; count++) {
                Rounds.copy(rounds.carries(), asked);
                condition.run();
                if (condition.results().getFirst().getLong(0) == 0) break;
                if (count == k.limit()) {
                    throw new IllegalStateException(
                            "a while loop did not end within its limit of "
                                    + k.limit()
                                    + " rounds; raise the limit, or mend its condition");
                }
                int slot = everything ? count : online.offer(count) - 1;
                if (slot >= 0) Rounds.stack(rounds.carries(), remembered, slot);
                rounds.run();
            }
            Rounds.copy(rounds.carries(), out.subList(0, k.carries()));
            out.get(k.carries()).setLong(0, count);
            if (everything) clear(remembered, rounds.carries(), count);
            if (k.remember() instanceof Kernel.Remember.Checkpoints) tell(online, out.getLast());
        };
    }

    private static int rememberedStacks(Kernel.While k) {
        return k.remember() instanceof Kernel.Remember.Nothing ? 0 : k.carries();
    }

    /** Writes the round of each checkpoint, -1 for none. */
    private static void tell(Online online, Buffer positions) {
        for (long i = 0; i < positions.size(); i++) positions.setLong(i, -1);
        for (int i = 1; i < online.kept().size(); i++) {
            positions.setLong(online.places().get(i) - 1, online.kept().get(i));
        }
    }
}
