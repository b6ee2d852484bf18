package dev.ebb.nn.data;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;

import java.nio.charset.StandardCharsets;

/**
 * A text as windows of {@code context} tokens that do not overlap, each a row: the tokens, and the
 * same shifted by one token. An incomplete window at the end is left out. For passages that start
 * anywhere, see {@link Corpus}.
 */
public final class TextWindows implements Dataset {
    private final int[] tokens;
    private final int context;

    public TextWindows(int[] tokens, int context) {
        if (context < 1 || tokens.length <= context) {
            throw new IllegalArgumentException(
                    ("windows of %s tokens from a text of %s; a window has at least one token and"
                                    + " less than the text")
                            .formatted(context, tokens.length));
        }
        this.tokens = tokens.clone();
        this.context = context;
    }

    /** A text as UTF-8, each byte a token. */
    public static TextWindows ofBytes(String text, int context) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var tokens = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) tokens[i] = bytes[i] & 0xff;
        return new TextWindows(tokens, context);
    }

    @Override
    public int rows() {
        return (tokens.length - 1) / context;
    }

    @Override
    public Batch read(int[] rows) {
        var ids = new int[rows.length * context];
        var targets = new int[rows.length * context];
        for (int i = 0; i < rows.length; i++) {
            requireRow(rows[i]);
            System.arraycopy(tokens, rows[i] * context, ids, i * context, context);
            System.arraycopy(tokens, rows[i] * context + 1, targets, i * context, context);
        }
        var shape = Shape.of(rows.length, context);
        return new Batch(Array.of(shape, ids), Array.of(shape, targets));
    }
}
