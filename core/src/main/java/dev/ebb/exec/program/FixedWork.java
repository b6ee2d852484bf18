package dev.ebb.exec.program;

import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.Control.ReverseStart;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;

/**
 * Whether all runs of a program enqueue the same work, without the host: then the work can be
 * recorded and replayed.
 */
final class FixedWork {
    private FixedWork() {}

    /**
     * Whether every run of {@code schedule} enqueues the same work and needs nothing from the host
     * while it runs. Then there is no branch and no plain Java; loops have a known length and keep
     * their states in memory; and there are transfers only if they are {@code ordered} by the
     * device and there is no loop.
     */
    static boolean isFixed(Schedule schedule, boolean ordered) {
        boolean moves = ordered && schedule.steps().stream().noneMatch(FixedWork::isLoop);
        return schedule.steps().stream().allMatch(s -> isFixed(s, moves));
    }

    private static boolean isLoop(Step step) {
        return step instanceof Step.Work work && work.node().kernel() instanceof Control;
    }

    private static boolean isFixed(Step step, boolean moves) {
        return switch (step) {
            case Step.Work work -> isFixed(work.node().kernel());
            case Step.Offload _, Step.Fetch _ -> moves;
            case Step.Free _ -> true;
        };
    }

    private static boolean isFixed(Kernel kernel) {
        return switch (kernel) {
            case Control loop ->
                    hasKnownLength(loop)
                            && loop.bodies().stream()
                                    .flatMap(g -> g.nodes().stream())
                                    .allMatch(n -> isFixed(n.kernel()));
            case Kernel.Library _ -> false;
            case Kernel.Viewed _,
                    Kernel.Rows _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    DecodingContract _,
                    Kernel.Convolve _ ->
                    true;
        };
    }

    /** Whether the iterations that run do not depend on data, and all states are in memory. */
    private static boolean hasKnownLength(Control control) {
        return switch (control) {
            case Control.Scan k ->
                    !k.counted()
                            && switch (k.checkpointing()) {
                                case Checkpointing.Nothing _, Checkpointing.Everything _ -> true;
                                case Checkpointing.Checkpoints(var area, _) ->
                                        area.offloaded() == 0;
                                case Checkpointing.Online _ -> false;
                            };
            case Control.ReverseScan k ->
                    !k.forward().counted()
                            && k.start() != ReverseStart.ONLINE
                            && k.area().offloaded() == 0;
            case Control.While _, Control.Cond _ -> false;
        };
    }
}
