package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;

import java.util.List;

/**
 * Runs kernels made of graphs: loops and branches. Their graphs lie in the kernel's planned
 * workspace.
 */
final class Controls {
    private Controls() {}

    static long workspaceBytes(Control control, Device device) {
        return switch (control) {
            case Control.Scan k -> Looping.workspaceBytes(k, device);
            case Control.While k -> Looping.workspaceBytes(k, device);
            case Control.Sweep k -> Sweeping.workspaceBytes(k, device);
            case Control.Cond k ->
                    Math.max(branch(k.yes(), device).bytes(), branch(k.no(), device).bytes());
        };
    }

    /** A kernel that keeps no states of a loop but in memory. */
    static Runnable bind(
            Control control, Session session, List<Buffer> in, List<Buffer> out, Buffer workspace) {
        return bind(control, session, in, out, workspace, Store.NONE);
    }

    static Runnable bind(
            Control control,
            Session session,
            List<Buffer> in,
            List<Buffer> out,
            Buffer workspace,
            Store elsewhere) {
        var memory = workspace.memory();
        return switch (control) {
            case Control.Scan k -> Looping.scan(k, session, in, out, memory, elsewhere);
            case Control.While k -> Looping.whileTrue(k, session, in, out, memory);
            case Control.Sweep k -> new Sweeping(k, session, in, out, memory, elsewhere);
            case Control.Cond k -> cond(k, session, in, out, memory);
        };
    }

    private static Nested branch(Graph graph, Device device) {
        return new Nested(graph, graph.params().size(), 0, device);
    }

    private static Runnable cond(
            Control.Cond k, Session session, List<Buffer> in, List<Buffer> out, Memory memory) {
        var operands = in.subList(1, in.size());
        var yes = branch(k.yes(), session.device()).bind(session, memory, operands);
        var no = branch(k.no(), session.device()).bind(session, memory, operands);
        return () -> {
            var taken = session.readLong(in.getFirst(), 0) != 0 ? yes : no;
            taken.run();
            session.copy(taken.results(), out);
        };
    }
}
