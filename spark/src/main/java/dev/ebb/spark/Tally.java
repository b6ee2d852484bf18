package dev.ebb.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.util.DoubleAccumulator;
import org.apache.spark.util.LongAccumulator;

import java.io.Serializable;

/**
 * What a rank says of itself while it runs, as accumulators: executors' heartbeats bring their
 * values to the driver, and Spark's UI shows those of every task.
 *
 * @param steps how many steps of the run are made
 * @param loss of the latest step; rank 0 tells it
 * @param promised bytes of a step
 * @param measured bytes of a step
 */
record Tally(
        LongAccumulator steps,
        DoubleAccumulator loss,
        LongAccumulator promised,
        LongAccumulator measured)
        implements Serializable {

    static Tally of(SparkContext context) {
        return new Tally(
                context.longAccumulator("ebb: steps"),
                context.doubleAccumulator("ebb: loss"),
                context.longAccumulator("ebb: bytes promised"),
                context.longAccumulator("ebb: bytes measured"));
    }

    /** On a rank, after each of its steps. */
    void step(int rank, long made, double latest) {
        steps.setValue(made);
        if (rank == 0) loss.setValue(latest);
    }

    void memory(RankResult.StepMemory memory) {
        promised.setValue(memory.promisedBytes());
        measured.setValue(memory.measuredBytes());
    }
}
