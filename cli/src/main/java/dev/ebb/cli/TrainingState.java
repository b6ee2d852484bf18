package dev.ebb.cli;

import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.optim.Optimizer;

/** All that training carries from step to step, and a checkpoint holds. */
public record TrainingState(
        AutoregressiveModel model, Optimizer.State<AutoregressiveModel> optimizer) {}
