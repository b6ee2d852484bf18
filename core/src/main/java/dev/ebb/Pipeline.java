package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Program;
import dev.ebb.exec.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Simplify;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Problem;
import dev.ebb.plan.Settle;

import java.util.List;

/**
 * The line from a traced graph to a program that runs.
 *
 * @param loopSlots at most this many carries of a loop are kept for its reverse
 */
record Pipeline(Planner planner, Cost cost, Device device, int loopSlots) {

    /** A loop of unknown length keeps this many states unless told otherwise. */
    private static final int UNKNOWN_SLOTS = 32;

    Program compile(Graph traced, List<Binding> bindings) {
        var fused = Loops.merge(Fuse.of(Simplify.of(traced)));
        var bounded = Loops.checkpointUnknown(fused, Math.min(loopSlots, UNKNOWN_SLOTS));
        var looped =
                loopSlots < Loops.longest(bounded) ? Loops.checkpoint(bounded, loopSlots) : bounded;
        var graph = Scratch.add(looped, device);
        var schedule = planner.plan(Settle.of(new Problem(graph, bindings)), cost);
        return new Program(Layout.of(schedule), device);
    }
}
