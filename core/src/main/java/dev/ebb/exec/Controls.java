package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Runs kernels made of graphs: loops and branches. Their graphs lie in the kernel's planned
 * workspace.
 */
final class Controls {
    private Controls() {}

    static long workspaceBytes(Kernel.Control control, Device device) {
        return switch (control) {
            case Kernel.Scan k -> nested(k, device).bytes();
            case Kernel.Cond k ->
                    Math.max(branch(k.yes(), device).bytes(), branch(k.no(), device).bytes());
        };
    }

    static Runnable bind(
            Kernel.Control control,
            Device device,
            List<Buffer> in,
            List<Buffer> out,
            Buffer workspace) {
        return switch (control) {
            case Kernel.Scan k -> scan(k, device, in, out, workspace.segment());
            case Kernel.Cond k -> cond(k, device, in, out, workspace.segment());
        };
    }

    private static Nested nested(Kernel.Scan k, Device device) {
        return new Nested(k.body(), k.constants(), k.carries(), device);
    }

    private static Nested branch(dev.ebb.ir.Graph graph, Device device) {
        return new Nested(graph, graph.params().size(), 0, device);
    }

    private static Runnable scan(
            Kernel.Scan k, Device device, List<Buffer> in, List<Buffer> out, MemorySegment memory) {
        var steps = nested(k, device).bind(device, memory, in.subList(0, k.constants()));
        int slices = k.constants() + k.carries();
        var states = steps.params().subList(k.constants(), slices);
        var remembered = out.subList(k.body().results().size(), out.size());
        return () -> {
            for (int i = 0; i < states.size(); i++)
                copy(in.get(k.constants() + i), 0, states.get(i), 0);
            for (int t = 0; t < k.times(); t++) {
                int round = k.reverse() ? k.times() - 1 - t : t;
                for (int i = slices; i < in.size(); i++) {
                    var x = steps.params().get(i);
                    MemorySegment.copy(
                            in.get(i).segment(), round * x.bytes(), x.segment(), 0, x.bytes());
                }
                for (int i = 0; i < remembered.size(); i++) stack(states.get(i), remembered.get(i), round);
                steps.run();
                for (int i = k.carries(); i < steps.results().size(); i++) {
                    stack(steps.results().get(i), out.get(i), round);
                }
            }
            for (int i = 0; i < states.size(); i++) copy(states.get(i), 0, out.get(i), 0);
        };
    }

    private static Runnable cond(
            Kernel.Cond k, Device device, List<Buffer> in, List<Buffer> out, MemorySegment memory) {
        var operands = in.subList(1, in.size());
        var yes = branch(k.yes(), device).bind(device, memory, operands);
        var no = branch(k.no(), device).bind(device, memory, operands);
        return () -> {
            var taken = in.getFirst().getLong(0) != 0 ? yes : no;
            taken.run();
            for (int i = 0; i < out.size(); i++) copy(taken.results().get(i), 0, out.get(i), 0);
        };
    }

    private static void stack(Buffer slice, Buffer stack, long round) {
        MemorySegment.copy(slice.segment(), 0, stack.segment(), round * slice.bytes(), slice.bytes());
    }

    private static void copy(Buffer from, long at, Buffer to, long there) {
        MemorySegment.copy(from.segment(), at, to.segment(), there, to.bytes());
    }
}
