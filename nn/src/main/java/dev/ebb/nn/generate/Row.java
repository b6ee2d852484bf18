package dev.ebb.nn.generate;

import dev.ebb.nn.Seed;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * One prompt and the tokens drawn after it.
 *
 * <p>A model processes at most its context. If there are more tokens, it processes a window that is
 * moved by half a context at a time: moving it by one would invalidate all cached keys and values
 * at every token, because positions are counted from the window's start. The window from which a
 * token is drawn depends only on the number of tokens before it.
 */
final class Row {
    private final int context;
    private final List<int[]> stops;
    private final Seed seed;
    private final int prompt;
    private final int limit;
    private final BitSet seen = new BitSet();
    private int[] tokens;
    private int count;
    private int reported;
    private int start;
    private int cached;
    private boolean done;

    Row(int[] prompt, int more, int context, List<int[]> stops, Seed seed) {
        this.context = context;
        this.stops = stops;
        this.seed = seed;
        this.prompt = prompt.length;
        tokens = prompt.clone();
        count = prompt.length;
        reported = count;
        limit = count + more;
        done = more == 0;
        for (int token : prompt) seen.set(token);
        start = windowStart(count, context);
    }

    /** The start of the window from which the token after {@code count} others is drawn. */
    static int windowStart(int count, int context) {
        if (count <= context) return 0;
        int hop = Math.max(1, context / 2);
        return Math.ceilDiv(count - context, hop) * hop;
    }

    boolean isDone() {
        return done;
    }

    /** Ends the row: no more tokens are drawn. */
    void end() {
        done = true;
    }

    /** The first token that is not in the cache; if all tokens are, the last one. */
    int next() {
        return tokens[start + position()];
    }

    /** The position of {@link #next} in the window. */
    int position() {
        return Math.min(cached, count - start - 1);
    }

    /**
     * The number of tokens not in the cache, without the last one, whose scores are needed to draw.
     */
    int unread() {
        return done ? 0 : Math.max(0, count - start - 1 - cached);
    }

    /**
     * The start of a block of {@code length} tokens that contains the unread ones as far as
     * possible.
     */
    int blockStart(int length) {
        return Math.min(position(), context - length);
    }

    /**
     * Copies {@code length} tokens from {@code at} on; if there are fewer, the rest is arbitrary,
     * because no token attends to positions that were not reached yet.
     */
    void block(int at, long[] to, int from, int length) {
        for (int i = 0; i < length && at + i < count - start; i++)
            to[from + i] = tokens[start + at + i];
    }

    /** Records that the tokens before {@code end}, except the last of all, are in the cache. */
    void read(int end) {
        cached = Math.max(cached, Math.min(end, count - start - 1));
    }

    /** Records that {@link #next} is in the cache now; returns whether a token can be drawn. */
    boolean advance() {
        cached = position() + 1;
        return !done && cached == count - start;
    }

    /** Adds a token drawn from these scores. */
    void draw(float[] scores, Sampling sampling) {
        int token = sampling.draw(scores, seen, seed.uniform(count));
        if (count == tokens.length) tokens = Arrays.copyOf(tokens, Math.max(16, 2 * count));
        tokens[count++] = token;
        seen.set(token);
        done = count == limit;
        for (var stop : stops) {
            if (!endsWith(stop, stop.length)) continue;
            count -= stop.length;
            done = true;
            return;
        }
        int begins = windowStart(count, context);
        if (begins == start) return;
        start = begins;
        cached = 0;
    }

    /** Whether the drawn tokens end with the first {@code length} tokens of {@code stop}. */
    private boolean endsWith(int[] stop, int length) {
        return count - length >= prompt
                && Arrays.equals(tokens, count - length, count, stop, 0, length);
    }

    /** The tokens drawn since the last call, without those that may begin a stop sequence. */
    int[] news() {
        int held = 0;
        for (var stop : stops) {
            for (int length = stop.length - 1; length > held && !done; length--)
                if (endsWith(stop, length)) held = length;
        }
        int from = reported;
        reported = Math.max(reported, count - held);
        return Arrays.copyOfRange(tokens, from, reported);
    }

    int[] drawn() {
        return Arrays.copyOfRange(tokens, prompt, count);
    }
}
