package dev.ebb.cli;

import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.optim.Optimizer;

/** All that training carries from step to step, and a checkpoint holds. */
public record TrainingState(Gpt2 model, Optimizer.State<Gpt2> optimizer) {}
