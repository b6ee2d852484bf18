package dev.ebb.nn.model;

import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.CrossEntropy;

/** A model that predicts the next token. */
public interface LanguageModel {

    /** The most tokens that it can process. */
    int context();

    int vocabulary();

    /** Scores [batch, time, vocabulary] for each next token, given tokens [batch, time]. */
    Tensor logits(Tensor ids);

    /** The mean cross entropy in nats of {@code targets}, the token after each of {@code ids}. */
    default Tensor loss(Tensor ids, Tensor targets) {
        return loss(ids, targets, CrossEntropy.mean());
    }

    /** The same with options, for example with targets to ignore. */
    default Tensor loss(Tensor ids, Tensor targets, CrossEntropy options) {
        var scores = logits(ids);
        return scores.reshape(-1, scores.dim(-1)).crossEntropy(targets.reshape(-1), options);
    }
}
