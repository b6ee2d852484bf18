package dev.ebb.nn.train;

import java.nio.file.Path;

/** Receives the events of a training run, on its thread. */
public interface TrainingListener {

    /** A step was made. */
    default void step(StepReport report) {}

    /** An epoch was made and evaluated. */
    default void epoch(EpochReport report) {}

    /** A checkpoint was written. */
    default void checkpoint(Path file) {}
}
