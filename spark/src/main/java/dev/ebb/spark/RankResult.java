package dev.ebb.spark;

import java.io.Serializable;
import java.util.List;

/**
 * The result of one rank.
 *
 * @param host where it ran
 * @param digest of the bits of all weights
 * @param losses of all steps
 * @param memory of the latest step
 */
public record RankResult(
        int rank, String host, String digest, List<Double> losses, StepMemory memory)
        implements Serializable {
    public RankResult {
        losses = List.copyOf(losses);
    }

    /**
     * The promised and the measured memory of a step.
     *
     * @param promisedBytes zero if no step was made because all were made before
     * @param heldBytes in the arena at each computation of the latest step
     */
    public record StepMemory(long promisedBytes, long measuredBytes, List<Long> heldBytes)
            implements Serializable {
        /** For a run whose steps were all made before. */
        static final StepMemory NONE = new StepMemory(0, 0, List.of());

        public StepMemory {
            heldBytes = List.copyOf(heldBytes);
        }
    }

    public long promisedBytes() {
        return memory.promisedBytes;
    }

    public long measuredBytes() {
        return memory.measuredBytes;
    }
}
