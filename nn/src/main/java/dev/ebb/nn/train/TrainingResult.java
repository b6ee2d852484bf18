package dev.ebb.nn.train;

import java.util.List;
import java.util.Optional;

/**
 * The result of a training run.
 *
 * @param statistics the network's state besides the model
 * @param isFinished whether all epochs were made or early stopping ended the run; false if it was
 *     interrupted
 * @param promisedBytes the planned peak of training and evaluation together
 * @param measuredBytes the measured peak; 0 if no step was made
 * @param cut how the batch was split to fit the budget, if it was
 */
public record TrainingResult<M, S>(
        M model,
        S statistics,
        List<EpochReport> history,
        long steps,
        boolean isFinished,
        long promisedBytes,
        long measuredBytes,
        Optional<BatchSplit> cut) {
    public TrainingResult {
        history = List.copyOf(history);
    }
}
