package dev.ebb.spark;

import java.io.Serializable;
import java.util.List;

/**
 * How one rank ended.
 *
 * @param digest of all weights' bits
 * @param losses of all steps
 * @param promisedBytes of a step; zero if none was made
 * @param measuredBytes of the latest step
 */
public record RankResult(
        int rank, String digest, List<Double> losses, long promisedBytes, long measuredBytes)
        implements Serializable {
    public RankResult {
        losses = List.copyOf(losses);
    }
}
