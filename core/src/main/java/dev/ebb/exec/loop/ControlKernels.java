package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Memory;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.List;

/**
 * Binds loops and branches, whose bodies are graphs, to memory. The bodies run in the kernel's
 * planned workspace.
 */
public final class ControlKernels {
    private ControlKernels() {}

    public static long workspaceBytes(Control control, Device device) {
        return switch (control) {
            case Control.Scan k -> ForwardLoops.workspaceBytes(k, device);
            case Control.While k -> ForwardLoops.workspaceBytes(k, device);
            case Control.ReverseScan k -> ReverseLoop.workspaceBytes(k, device);
            case Control.Cond k ->
                    Math.max(branch(k.yes(), device).bytes(), branch(k.no(), device).bytes());
        };
    }

    /** Another graph that computes the same as the body of a loop or a branch. */
    @FunctionalInterface
    public interface Rewriting {
        /**
         * The first {@code outside} parameters of {@code body} are read in place; the next {@code
         * carried} are replaced in place by the first results.
         */
        Graph of(Graph body, int outside, int carried);
    }

    /** The same kernel with other bodies. */
    public static Control rewritten(Control control, Rewriting rewriting) {
        return switch (control) {
            case Control.Scan k -> {
                var bodies = new ArrayList<>(k.bodies());
                for (int i = 0; i < k.withoutInverse().bodies().size(); i++)
                    bodies.set(i, rewriting.of(bodies.get(i), k.constants(), k.carries()));
                yield k.withBodies(bodies);
            }
            case Control.While k ->
                    k.withBodies(
                            List.of(
                                    rewriting.of(k.condition(), k.constants() + k.carries(), 0),
                                    rewriting.of(k.body(), k.constants(), k.carries())));
            case Control.ReverseScan k -> {
                var f = k.forward();
                var b = k.backward();
                yield k.withBodies(
                        List.of(
                                rewriting.of(f.body(), f.constants(), f.carries()),
                                rewriting.of(k.taping().body(), f.constants(), f.carries()),
                                rewriting.of(k.tapeOnly(), f.constants() + f.carries(), 0),
                                rewriting.of(b.body(), b.constants(), b.carries())));
            }
            case Control.Cond k ->
                    k.withBodies(
                            List.of(
                                    rewriting.of(k.yes(), k.yes().params().size(), 0),
                                    rewriting.of(k.no(), k.no().params().size(), 0)));
        };
    }

    /** The planning problem of a body; the arguments are those of {@link Rewriting}. */
    public static Problem problem(Graph body, int outside, int carried, Device device) {
        return NestedGraph.problem(body, outside, carried, device);
    }

    /** A kernel that keeps loop states in memory only. */
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
            case Control.ReverseScan k -> new ReverseLoop(k, session, in, out, memory, elsewhere);
            case Control.Cond k -> cond(k, session, in, out, memory);
        };
    }

    /**
     * The number of outputs of {@code control} that are values; the checkpoint area comes after
     * them.
     */
    static int values(Control control, int outputs) {
        return switch (control) {
            case Control.Scan k -> outputs - checkpointOutputs(k.checkpointing());
            case Control.While k -> outputs - checkpointOutputs(k.checkpointing());
            case Control.ReverseScan _, Control.Cond _ -> outputs;
        };
    }

    private static int checkpointOutputs(Control.Checkpointing checkpointing) {
        return switch (checkpointing) {
            case Control.Checkpointing.Nothing _, Control.Checkpointing.Everything _ -> 0;
            case Control.Checkpointing.Checkpoints _ -> 1;
            case Control.Checkpointing.Online _ -> 2;
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
