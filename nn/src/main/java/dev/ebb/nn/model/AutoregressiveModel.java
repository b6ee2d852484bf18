package dev.ebb.nn.model;

import dev.ebb.nn.Dense;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** A language model that goes on from the keys and values of the tokens before. */
public interface AutoregressiveModel extends LanguageModel {

    /** The same model with other dense layers in its blocks. */
    AutoregressiveModel rewritten(Dense.Rewrite change);

    /** A cache for each layer in which no token is yet, for rows of {@code context} tokens. */
    List<KeyValueCache> caches(int batch, int context);

    /** Scores for new tokens, and the caches that hold these too. */
    record Continued(Tensor logits, List<KeyValueCache> caches) {}

    /**
     * Scores [batch, time, vocabulary] for tokens [batch, time] that follow those in {@code past}:
     * the same numbers as {@link #logits} over all of them.
     */
    Continued next(Tensor ids, List<KeyValueCache> past, Positions at);
}
