package dev.ebb.nn.model;

import dev.ebb.nn.Dense;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** A language model that can continue from the cached keys and values of earlier tokens. */
public interface AutoregressiveModel extends LanguageModel {

    /** The same model with other dense layers in its blocks. */
    AutoregressiveModel rewritten(Dense.Rewrite change);

    /** An empty cache for each layer, for rows of {@code context} tokens. */
    List<KeyValueCache> caches(int batch, int context);

    /** Scores for new tokens, and the caches with these tokens added. */
    record Continued(Tensor logits, List<KeyValueCache> caches) {}

    /**
     * Scores [batch, time, vocabulary] for tokens [batch, time] that follow those in {@code past}:
     * the same numbers as {@link #logits} over all of them.
     */
    Continued next(Tensor ids, List<KeyValueCache> past, Positions at);
}
