package dev.ebb.spark;

import dev.ebb.nn.parallel.Cut;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.plan.Budget;

import java.io.Serializable;
import java.time.Duration;

/**
 * What every rank is told.
 *
 * @param cut how many shards a batch has, and how many ranks share them
 * @param batch how many examples a batch has
 * @param checkpoints the folder for them
 */
record RankSettings<P>(
        Recipe<P> recipe, Cut cut, int batch, Course course, Limits limits, String checkpoints)
        implements Serializable {
    RankSettings {
        cut.requireShards(batch);
    }

    /** How many steps in all, and how many between checkpoints. */
    record Course(long steps, long every) implements Serializable {
        Course {
            if (steps < 1 || every < 1) {
                throw new IllegalArgumentException(
                        steps
                                + " steps with a checkpoint after every "
                                + every
                                + "; both must be positive");
            }
        }
    }

    /**
     * What bounds a rank.
     *
     * @param budget as {@code Budget.of} reads it
     * @param patience after which a peer that does not answer is an error
     * @param links by what the planner knows what exchanges take
     */
    record Limits(String budget, int threads, Duration patience, Links links)
            implements Serializable {
        Limits {
            if (threads < 1)
                throw new IllegalArgumentException(threads + " threads; use 1 at least");
            Budget.of(budget); // what cannot be read is told before anything starts
            if (patience.toMillis() < 1)
                throw new IllegalArgumentException(
                        "a patience of " + patience + "; take a second at least");
        }
    }

    /** What exchanges take. */
    enum Links {
        /** As on most clusters: plans are the same on every one. */
        TYPICAL,
        /** As ranks find it when they have joined. */
        MEASURED
    }

    RankSettings<P> with(Cut other, int examples) {
        return new RankSettings<>(recipe, other, examples, course, limits, checkpoints);
    }

    RankSettings<P> with(Course other) {
        return new RankSettings<>(recipe, cut, batch, other, limits, checkpoints);
    }

    RankSettings<P> with(Limits other) {
        return new RankSettings<>(recipe, cut, batch, course, other, checkpoints);
    }
}
