package dev.ebb.exec.program;

import dev.ebb.exec.Queue;
import dev.ebb.exec.Report;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.plan.schedule.Schedule;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * When a program becomes one method: after some runs, or before the first if it is large. What runs
 * depends on sizes and counts alone.
 */
final class StraightCompilation {
    private final BoundSteps steps;
    private final Queue queue;
    private final Schedule schedule;
    private final boolean possible;
    private int runs;
    private boolean asked;
    private Optional<StraightRun> compiled = Optional.empty();

    /**
     * @param possible whether the program is not run in another way as a whole
     */
    StraightCompilation(BoundSteps steps, Queue queue, Schedule schedule, boolean possible) {
        this.steps = steps;
        this.queue = queue;
        this.schedule = schedule;
        this.possible = possible;
    }

    /**
     * The program as one method, once there is one.
     *
     * @param counted counts the memory of a run without running it, of a program whose course is
     *     fixed
     */
    Optional<StraightRun> compiled(Supplier<Report> counted) {
        if (compiled.isPresent() || asked) return compiled;
        asked = true;
        if (possible
                && FixedWork.isFixed(schedule, false)
                && queue.isStraightAtOnce(schedule.problem().graph().nodes())) make(counted);
        return compiled;
    }

    /** Whether this is the run after which one method is made; counts it. */
    boolean isDue() {
        return possible && runs++ == queue.straightAfter();
    }

    /** Makes one method for later runs, which report what {@code counted} does. */
    void make(Supplier<Report> counted) {
        compiled =
                steps.sequence()
                        .flatMap(queue::straight)
                        .map(method -> new StraightRun(method, counted.get()));
    }
}
