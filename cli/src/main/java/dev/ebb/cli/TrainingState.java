package dev.ebb.cli;

import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.optim.Optimizer;

/** All that training carries from step to step, and a checkpoint holds. */
public record TrainingState(LanguageModel model, Optimizer.State<LanguageModel> optimizer) {}
