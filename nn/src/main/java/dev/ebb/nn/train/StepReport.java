package dev.ebb.nn.train;

/**
 * The result of a step.
 *
 * @param step the number of steps made, including this one
 * @param epoch its epoch, from zero on
 * @param row the rows of the epoch trained on so far, including this step's
 * @param rows the rows of the epoch that are trained on
 * @param loss the mean over the batch, before the update
 * @param rate the learning rate of the step
 */
public record StepReport(long step, int epoch, int row, int rows, double loss, double rate) {}
