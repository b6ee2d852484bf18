package dev.ebb.nn.model;

import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.CrossEntropy;

/** Something that guesses the next token. */
public interface LanguageModel {

    /** The most tokens it can look at. */
    int context();

    int vocabulary();

    /** Scores [batch, time, vocabulary] of each next token, for tokens [batch, time]. */
    Tensor logits(Tensor ids);

    /** The mean surprise at {@code targets}, the token after each of {@code ids}, in nats. */
    default Tensor loss(Tensor ids, Tensor targets) {
        return loss(ids, targets, CrossEntropy.mean());
    }

    /** The same, taken otherwise: for example with targets that do not count. */
    default Tensor loss(Tensor ids, Tensor targets, CrossEntropy options) {
        var scores = logits(ids);
        return scores.reshape(-1, scores.dim(-1)).crossEntropy(targets.reshape(-1), options);
    }
}
