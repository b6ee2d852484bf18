package dev.ebb.nn.train;

import java.util.List;
import java.util.Optional;

/**
 * What came of a training run.
 *
 * @param statistics what the network carried from batch to batch besides
 * @param isFinished whether all epochs were made, or stopping early ended them; else it was stopped
 *     on its way
 * @param promisedBytes the peak that was planned for training and evaluation together
 * @param measuredBytes the peak that was measured; 0 where no step was made
 * @param cut how the batch was cut to fit the budget, where it was
 */
public record Trained<M, S>(
        M model,
        S statistics,
        List<EpochReport> history,
        long steps,
        boolean isFinished,
        long promisedBytes,
        long measuredBytes,
        Optional<Cut> cut) {
    public Trained {
        history = List.copyOf(history);
    }
}
