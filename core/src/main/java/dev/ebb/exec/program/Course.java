package dev.ebb.exec.program;

import dev.ebb.ir.Control;
import dev.ebb.ir.Kernel;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;

/** Whether the host has a part in a run. */
final class Course {
    private Course() {}

    /**
     * Whether every run of {@code schedule} puts the same kernels on the queue and needs nothing of
     * the host meanwhile: no loop or branch, no transfer, no plain Java.
     */
    static boolean isFixed(Schedule schedule) {
        return schedule.steps().stream().allMatch(Course::isFixed);
    }

    private static boolean isFixed(Step step) {
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
                                Kernel.Convolve _ ->
                                true;
                    };
            case Step.Offload _, Step.Fetch _ -> false;
            case Step.Free _ -> true;
        };
    }
}
