package dev.ebb.exec.program;

import dev.ebb.exec.Queue;
import dev.ebb.exec.Report;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.plan.schedule.Schedule;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * The compilation of a program to one method: after some runs, or before the first if the program
 * is large. When it is compiled depends only on sizes and counts.
 */
final class SequenceCompilation {
    private final BoundSteps steps;
    private final Queue queue;
    private final Schedule schedule;
    private final boolean possible;
    private int runs;
    private boolean asked;
    private Optional<SequenceRun> compiled = Optional.empty();

    /**
     * @param possible whether the program is not recorded instead
     */
    SequenceCompilation(BoundSteps steps, Queue queue, Schedule schedule, boolean possible) {
        this.steps = steps;
        this.queue = queue;
        this.schedule = schedule;
        this.possible = possible;
    }

    /**
     * The program as one method, once there is one.
     *
     * @param counted counts the memory of a run without running it, for a program with fixed work
     */
    Optional<SequenceRun> compiled(Supplier<Report> counted) {
        if (compiled.isPresent() || asked) return compiled;
        asked = true;
        if (possible
                && FixedWork.isFixed(schedule, false)
                && queue.isCompiledAtOnce(schedule.problem().graph().nodes())) make(counted);
        return compiled;
    }

    /** Whether this is the run after which one method is made; counts it. */
    boolean isDue() {
        return possible && runs++ == queue.compiledAfter();
    }

    /** Compiles the method for later runs, whose report is that of {@code counted}. */
    void make(Supplier<Report> counted) {
        compiled =
                steps.sequence()
                        .flatMap(queue::compiled)
                        .map(method -> new SequenceRun(method, counted.get()));
    }
}
