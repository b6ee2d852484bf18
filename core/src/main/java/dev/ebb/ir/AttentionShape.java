package dev.ebb.ir;

import java.util.List;

/**
 * The sizes and settings of an attention: q [batch, heads, queries, width], k [batch, keyHeads,
 * keys, width], v [batch, keyHeads, keys, valueWidth]; {@code heads} is a multiple of {@code
 * keyHeads}. Causal: query i sees keys up to {@code i + keys - queries}. With a mask, one more
 * operand of shape [batch, heads, queries, keys], read through a view, is added to the scores.
 */
public record AttentionShape(
        int batch,
        int heads,
        int keyHeads,
        int queries,
        int keys,
        int width,
        int valueWidth,
        boolean causal,
        double scale,
        List<View> mask) {
    public AttentionShape {
        mask = List.copyOf(mask);
    }

    /**
     * The iteration shape of the queries; the following are those of keys, values, outputs and
     * scores.
     */
    public Shape queryShape() {
        return Shape.of(batch, heads, queries, width);
    }

    public Shape keyShape() {
        return Shape.of(batch, keyHeads, keys, width);
    }

    public Shape valueShape() {
        return Shape.of(batch, keyHeads, keys, valueWidth);
    }

    public Shape outShape() {
        return Shape.of(batch, heads, queries, valueWidth);
    }

    public Shape scoreShape() {
        return Shape.of(batch, heads, queries, keys);
    }

    /** Refuses views whose rows of {@code width} elements are not contiguous. */
    void requireRows(List<View> views, int width) {
        for (View view : views) {
            view.requireRank(4);
            if (width > 1 && view.stride(3) != 1) {
                throw new IllegalArgumentException(
                        ("rows of %s in %s with elements %s apart; attention reads and writes them"
                                        + " side by side")
                                .formatted(width, this, view.stride(3)));
            }
        }
    }

    public AttentionShape withMask(List<View> other) {
        return new AttentionShape(
                batch, heads, keyHeads, queries, keys, width, valueWidth, causal, scale, other);
    }

    /** The views of q, k and v in row-major order. */
    List<View> contiguous() {
        return View.allContiguous(queryShape(), keyShape(), valueShape());
    }

    /** The views of q, k, v, the output and its cotangent in row-major order. */
    List<View> contiguousWithOut() {
        return View.allContiguous(queryShape(), keyShape(), valueShape(), outShape(), outShape());
    }
}
