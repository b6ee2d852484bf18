package dev.ebb.nn.train;

import java.nio.file.Path;

/** Told of a training run as it goes on, on its thread. */
public interface TrainingListener {

    /** A step was made. */
    default void step(StepReport report) {}

    /** An epoch was made, and evaluated. */
    default void epoch(EpochReport report) {}

    /** A checkpoint was written. */
    default void checkpoint(Path file) {}
}
