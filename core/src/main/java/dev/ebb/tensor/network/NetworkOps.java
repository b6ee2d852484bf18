package dev.ebb.tensor.network;

import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

/** The ops of which networks are made: normalisations, losses, convolutions, attention, dropout. */
public interface NetworkOps extends NormalizeOps, LossOps, ConvolveOps {

    /** {@link #attention(Tensor, Tensor, Attention)} where every query sees every key. */
    default Tensor attention(Tensor k, Tensor v) {
        return attention(k, v, Attention.full());
    }

    /**
     * {@code softmax(scale q k' + mask) v} of these queries, [batch, heads, time, width], without
     * the matrix of scores in memory. Keys and values may have fewer heads, each then serves a
     * group of query heads. A query that sees nothing gets zeros.
     */
    default Tensor attention(Tensor k, Tensor v, Attention options) {
        return FlashAttention.of((Tensor) this, k, v, options);
    }

    /**
     * Each element zero with probability {@code p}, else scaled by {@code 1 / (1 - p)}. The mask is
     * drawn from the key wherever it is needed and kept nowhere.
     */
    default Tensor dropout(double p, Key key) {
        return key.dropout((Tensor) this, p);
    }
}
