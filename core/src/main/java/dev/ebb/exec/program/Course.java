package dev.ebb.exec.program;

import dev.ebb.ir.Control;
import dev.ebb.ir.Decoded;
import dev.ebb.ir.Kernel;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;

/** Whether the host has a part in a run. */
final class Course {
    private Course() {}

    /**
     * Whether every run of {@code schedule} puts the same kernels on the queue and needs nothing of
     * the host meanwhile: no loop or branch, no plain Java, no transfer unless those are {@code
     * ordered} by the device.
     */
    static boolean isFixed(Schedule schedule, boolean ordered) {
        return schedule.steps().stream().allMatch(s -> isFixed(s, ordered));
    }

    private static boolean isFixed(Step step, boolean ordered) {
        return switch (step) {
            case Step.Work work ->
                    switch (work.node().kernel()) {
                        case Control _, Kernel.Library _ -> false;
                        case Kernel.Viewed _,
                                Kernel.Rows _,
                                Kernel.Assemble _,
                                Kernel.Cut _,
                                Kernel.Gather _,
                                Kernel.Scatter _,
                                Kernel.Cumulate _,
                                Kernel.Sort _,
                                Decoded _,
                                Kernel.Convolve _ ->
                                true;
                    };
            case Step.Offload _, Step.Fetch _ -> ordered;
            case Step.Free _ -> true;
        };
    }
}
