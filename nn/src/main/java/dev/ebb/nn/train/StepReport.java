package dev.ebb.nn.train;

/**
 * A step that was made.
 *
 * @param step how many were made, this one included
 * @param epoch its epoch, from zero on
 * @param row how many rows of the epoch have been trained on, this step's included
 * @param rows how many rows of the epoch are trained on
 * @param loss the mean over the batch, before the step
 * @param rate the learning rate of the step
 */
public record StepReport(long step, int epoch, int row, int rows, double loss, double rate) {}
