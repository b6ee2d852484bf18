package dev.ebb.plan;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

import java.util.Set;

/**
 * Divides the regions into segments of equal length and keeps only the values that cross from one
 * into the next.
 */
public sealed interface Segments extends Strategy {

    /** The unit of a loop is an iteration; it is divided only if it has regions of its own. */
    @Override
    default Schedule planBody(Problem problem, Cost cost) {
        return RegionStages.isDivided(problem.graph())
                ? plan(problem, cost)
                : new StoreAll().plan(problem, cost);
    }

    /**
     * As many segments as the square root of the regions: the classic balance (Chen et al., 2016).
     */
    record Sqrt() implements Segments {
        @Override
        public Set<Value> keeps(Problem problem, Cost cost) {
            var stages = RegionStages.of(problem.graph());
            return stages.crossing(
                    problem.graph(), (int) Math.max(1, Math.round(Math.sqrt(stages.count()))));
        }

        @Override
        public int states(int iterations) {
            return (int) Math.max(1, Math.round(Math.sqrt(iterations)));
        }
    }

    /** A given number of segments. */
    record Count(int segments) implements Segments {
        public Count {
            if (segments < 1)
                throw new IllegalArgumentException(
                        "there must be at least one segment, not " + segments);
        }

        @Override
        public Set<Value> keeps(Problem problem, Cost cost) {
            var stages = RegionStages.of(problem.graph());
            return stages.crossing(
                    problem.graph(), Math.max(1, Math.ceilDiv(stages.count(), segments)));
        }

        @Override
        public int states(int iterations) {
            return Math.max(1, Math.min(segments, iterations));
        }
    }

    static Segments sqrt() {
        return new Sqrt();
    }

    static Segments of(int segments) {
        return new Count(segments);
    }
}
