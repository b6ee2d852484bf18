package dev.ebb.plan;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Step;

import java.util.Optional;

/**
 * The step of a plan with the most live bytes, the first if there are several, and the largest
 * value that it writes.
 *
 * @param step its place in the schedule, from zero on
 * @param bytes the live bytes in the arena at this step
 * @param written none if the step writes nothing
 */
public record PeakStep(int step, long bytes, Optional<Value> written) {

    static PeakStep of(Layout layout) {
        var steps = layout.schedule().steps();
        var change = new long[steps.size() + 2];
        for (var slot : layout.slots()) {
            // a parameter that is freed before the first step was still written to memory
            int to = slot.from() < 0 ? Math.max(1, slot.to()) : slot.to();
            change[Math.max(0, slot.from())] += slot.bytes();
            change[to] -= slot.bytes();
        }
        int at = 0;
        long alive = 0;
        long most = change[0];
        for (int i = 0; i < steps.size(); i++) {
            alive += change[i];
            if (alive > most) {
                most = alive;
                at = i;
            }
        }
        return new PeakStep(
                at, most, steps.isEmpty() ? Optional.empty() : written(layout, steps.get(at)));
    }

    private static Optional<Value> written(Layout layout, Step step) {
        return switch (step) {
            case Step.Work work -> {
                var problem = layout.schedule().problem();
                var largest = Optional.<Value>empty();
                for (Value v : work.node().outputs()) {
                    if (largest.isEmpty() || problem.bytes(v) > problem.bytes(largest.get()))
                        largest = Optional.of(v);
                }
                yield largest;
            }
            case Step.Fetch(var value, _) -> Optional.of(value);
            case Step.Free _, Step.Offload _ -> Optional.empty();
        };
    }
}
