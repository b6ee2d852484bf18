package dev.ebb.tensor.network;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.OptionalDouble;

/**
 * The settings of an attention: which keys each query sees, and the scale of the scores.
 *
 * @param causal query i of n sees keys up to {@code i + keys - n}
 * @param scale multiplies the scores; 1 / sqrt(width) if not given
 * @param masks at most one tensor, added to the scores; it broadcasts to [batch, heads, queries,
 *     keys]
 */
public record Attention(boolean causal, OptionalDouble scale, List<Tensor> masks) {

    public Attention {
        masks = List.copyOf(masks);
        if (masks.size() > 1) {
            throw new ShapeException("attention takes one mask; add the " + masks.size() + " up");
        }
    }

    /** Every query sees every key. */
    public static Attention full() {
        return new Attention(false, OptionalDouble.empty(), List.of());
    }

    /** Every query sees the keys that are not after it. */
    public static Attention past() {
        return new Attention(true, OptionalDouble.empty(), List.of());
    }

    public Attention scale(double factor) {
        return new Attention(causal, OptionalDouble.of(factor), masks);
    }

    /** A tensor added to the scores: minus infinity hides a key. */
    public Attention mask(Tensor added) {
        return new Attention(causal, scale, List.of(added));
    }
}
