package dev.ebb.nn;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/**
 * The keys and values of the tokens that an attention layer has processed, [batch, key heads,
 * context, head width] each, so that only those of a new token need be computed. Positions of the
 * context that no token has reached yet may have any content, because no query attends to them.
 */
public record KeyValueCache(Tensor keys, Tensor values) {

    public static KeyValueCache empty(
            int batch, int heads, int context, int headWidth, DType dtype) {
        var type = Type.of(dtype, batch, heads, context, headWidth);
        return new KeyValueCache(Array.make(type, b -> {}), Array.make(type, b -> {}));
    }

    /** The number of tokens that the cache can hold. */
    public int context() {
        return keys.dim(2);
    }

    /**
     * This cache with the keys and values of new tokens, [batch, key heads, time, head width], at
     * their positions.
     */
    KeyValueCache with(Tensor newKeys, Tensor newValues, Positions at) {
        int time = newKeys.dim(2);
        var rows = at.of(time).reshape(-1, 1, time, 1);
        return new KeyValueCache(
                keys.scatter(2, rows, newKeys), values.scatter(2, rows, newValues));
    }
}
