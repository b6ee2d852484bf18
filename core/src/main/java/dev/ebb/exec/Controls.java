package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs kernels made of graphs: loops and branches. Their graphs lie in the kernel's planned workspace. */
final class Controls {
    private Controls() {}

    static long workspaceBytes(Kernel.Control control, Device device) {
        return switch (control) {
            case Kernel.Scan k -> Rounds.nested(k, device).bytes();
            case Kernel.Sweep k -> Sweeping.workspaceBytes(k, device);
            case Kernel.Cond k -> Math.max(branch(k.yes(), device).bytes(), branch(k.no(), device).bytes());
        };
    }

    static Runnable bind(Kernel.Control control, Device device, List<Buffer> in, List<Buffer> out, Buffer workspace) {
        var memory = workspace.segment();
        return switch (control) {
            case Kernel.Scan k -> scan(k, device, in, out, memory);
            case Kernel.Sweep k -> new Sweeping(k, device, in, out, memory);
            case Kernel.Cond k -> cond(k, device, in, out, memory);
        };
    }

    private static Nested branch(Graph graph, Device device) {
        return new Nested(graph, graph.params().size(), 0, device);
    }

    private static Runnable scan(
            Kernel.Scan k, Device device, List<Buffer> in, List<Buffer> out, MemorySegment memory) {
        var rounds = new Rounds(k, device, memory, in.subList(0, k.constants()));
        var carries = in.subList(k.constants(), k.constants() + k.carries());
        var stacks = in.subList(k.constants() + k.carries(), in.size());
        int results = k.body().results().size();
        var given = out.subList(k.carries(), results);
        var remembered = out.subList(results, out.size());
        var places = remembered(k);
        boolean all = k.remember() instanceof Kernel.Remember.Everything;
        return () -> {
            Rounds.copy(carries, rounds.carries());
            for (int t = 0; t < k.times(); t++) {
                long place = rounds.place(t);
                rounds.feed(stacks, 0, place);
                if (all) Rounds.stack(rounds.carries(), remembered, place);
                else if (places.containsKey(t)) Rounds.stack(rounds.carries(), remembered, places.getOrDefault(t, 0));
                rounds.run();
                Rounds.stack(rounds.given(), given, place);
            }
            Rounds.copy(rounds.carries(), out.subList(0, k.carries()));
        };
    }

    /** For each round whose first carries are a checkpoint, the number of that checkpoint. */
    private static Map<Integer, Integer> remembered(Kernel.Scan k) {
        var places = new HashMap<Integer, Integer>();
        switch (k.remember()) {
            case Kernel.Remember.Checkpoints(int slots) ->
                    Sweeping.positions(k.times(), slots).forEach(t -> places.put(t, places.size()));
            case Kernel.Remember.Nothing _, Kernel.Remember.Everything _ -> {}
        }
        return places;
    }

    private static Runnable cond(
            Kernel.Cond k, Device device, List<Buffer> in, List<Buffer> out, MemorySegment memory) {
        var operands = in.subList(1, in.size());
        var yes = branch(k.yes(), device).bind(device, memory, operands);
        var no = branch(k.no(), device).bind(device, memory, operands);
        return () -> {
            var taken = in.getFirst().getLong(0) != 0 ? yes : no;
            taken.run();
            Rounds.copy(taken.results(), out);
        };
    }
}
