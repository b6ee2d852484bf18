package dev.ebb.spark;

import dev.ebb.nn.parallel.Partition;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.plan.Budget;

import java.io.Serializable;
import java.time.Duration;

/**
 * The settings of a run that every rank gets.
 *
 * @param cut the number of shards of a batch, and the number of ranks that share them
 * @param batch the number of examples of a batch
 * @param checkpoints the folder for them
 */
record RankSettings<P>(
        Recipe<P> recipe,
        Partition cut,
        int batch,
        Course course,
        Limits limits,
        String checkpoints)
        implements Serializable {
    RankSettings {
        cut.requireShards(batch);
    }

    /** The total number of steps, and the number of steps between checkpoints. */
    record Course(long steps, long every) implements Serializable {
        Course {
            if (steps < 1 || every < 1) {
                throw new IllegalArgumentException(
                        "%s steps with a checkpoint after every %s; both must be positive"
                                .formatted(steps, every));
            }
        }
    }

    /**
     * The limits of a rank.
     *
     * @param budget in the syntax of {@code Budget.of}
     * @param patience how long to wait for a peer before it counts as failed
     * @param links how the planner gets the cost of communication
     */
    record Limits(String budget, int threads, Duration patience, Links links)
            implements Serializable {
        Limits {
            if (threads < 1)
                throw new IllegalArgumentException(threads + " threads; use 1 at least");
            Budget.of(budget); // a malformed budget is reported before anything starts
            if (patience.toMillis() < 1)
                throw new IllegalArgumentException(
                        "a patience of " + patience + "; take a second at least");
        }
    }

    /** The cost of communication that the planner uses. */
    enum Links {
        /** A typical link, so that plans are the same on every cluster. */
        TYPICAL,
        /** As measured by the ranks after they have joined. */
        MEASURED
    }

    RankSettings<P> with(Partition other, int examples) {
        return new RankSettings<>(recipe, other, examples, course, limits, checkpoints);
    }

    RankSettings<P> with(Course other) {
        return new RankSettings<>(recipe, cut, batch, other, limits, checkpoints);
    }

    RankSettings<P> with(Limits other) {
        return new RankSettings<>(recipe, cut, batch, course, other, checkpoints);
    }
}
