package dev.ebb.cli;

import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.optim.Optimizer;

/** The state that training carries from step to step; a checkpoint contains it. */
public record TrainingState(
        AutoregressiveModel model, Optimizer.State<AutoregressiveModel> optimizer) {}
