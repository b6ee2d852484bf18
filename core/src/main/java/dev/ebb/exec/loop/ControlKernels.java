package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;

import java.util.List;

/**
 * Binds the kernels that are made of graphs, loops and branches, to memory. Their graphs lie in the
 * kernel's planned workspace.
 */
public final class ControlKernels {
    private ControlKernels() {}

    public static long workspaceBytes(Control control, Device device) {
        return switch (control) {
            case Control.Scan k -> ForwardLoops.workspaceBytes(k, device);
            case Control.While k -> ForwardLoops.workspaceBytes(k, device);
            case Control.Sweep k -> ReverseSweep.workspaceBytes(k, device);
            case Control.Cond k ->
                    Math.max(branch(k.yes(), device).bytes(), branch(k.no(), device).bytes());
        };
    }

    /** A kernel that keeps no states of a loop but in memory. */
    public static Runnable bind(
            Control control, Session session, List<Buffer> in, List<Buffer> out, Buffer workspace) {
        return bind(control, session, in, out, workspace, CheckpointStore.NONE);
    }

    public static Runnable bind(
            Control control,
            Session session,
            List<Buffer> in,
            List<Buffer> out,
            Buffer workspace,
            CheckpointStore elsewhere) {
        var memory = workspace.memory();
        return switch (control) {
            case Control.Scan k -> ForwardLoops.scan(k, session, in, out, memory, elsewhere);
            case Control.While k -> ForwardLoops.whileTrue(k, session, in, out, memory);
            case Control.Sweep k -> new ReverseSweep(k, session, in, out, memory, elsewhere);
            case Control.Cond k -> cond(k, session, in, out, memory);
        };
    }

    /** How many of the outputs of {@code control} are values; room for states comes after them. */
    static int values(Control control, int outputs) {
        return switch (control) {
            case Control.Scan k -> outputs - rooms(k.remember());
            case Control.While k -> outputs - rooms(k.remember());
            case Control.Sweep _, Control.Cond _ -> outputs;
        };
    }

    private static int rooms(Control.Remember what) {
        return switch (what) {
            case Control.Remember.Nothing _, Control.Remember.Everything _ -> 0;
            case Control.Remember.Checkpoints _ -> 1;
            case Control.Remember.Latest _ -> 2;
        };
    }

    private static NestedGraph branch(Graph graph, Device device) {
        return new NestedGraph(graph, graph.params().size(), 0, device);
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
