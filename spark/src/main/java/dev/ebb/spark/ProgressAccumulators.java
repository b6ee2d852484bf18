package dev.ebb.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.util.DoubleAccumulator;
import org.apache.spark.util.LongAccumulator;

import java.io.Serializable;

/**
 * The progress of a rank as accumulators: executors' heartbeats carry their values to the driver,
 * and Spark's UI shows those of every task.
 *
 * @param steps the steps of the run made so far
 * @param loss of the latest step; set by rank 0
 * @param promised bytes of a step
 * @param measured bytes of a step
 */
record ProgressAccumulators(
        LongAccumulator steps,
        DoubleAccumulator loss,
        LongAccumulator promised,
        LongAccumulator measured)
        implements Serializable {

    static ProgressAccumulators of(SparkContext context) {
        return new ProgressAccumulators(
                context.longAccumulator("ebb: steps"),
                context.doubleAccumulator("ebb: loss"),
                context.longAccumulator("ebb: bytes promised"),
                context.longAccumulator("ebb: bytes measured"));
    }

    /** Called on a rank after each of its steps. */
    void step(int rank, long made, double latest) {
        steps.setValue(made);
        if (rank == 0) loss.setValue(latest);
    }

    void memory(RankResult.StepMemory memory) {
        promised.setValue(memory.promisedBytes());
        measured.setValue(memory.measuredBytes());
    }
}
