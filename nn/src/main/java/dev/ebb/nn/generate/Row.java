package dev.ebb.nn.generate;

import dev.ebb.nn.Seed;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * One prompt and what is drawn after it.
 *
 * <p>A model looks at no more than its context. Once more tokens are there, it looks at a window
 * that is moved on by half a context at a time: moving it by one would make every cached key and
 * value worthless at every token, as positions are counted from the window's start. Which window a
 * token is drawn from depends on the number of tokens before it alone.
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
    private int told;
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
        told = count;
        limit = count + more;
        done = more == 0;
        for (int token : prompt) seen.set(token);
        start = windowStart(count, context);
    }

    /** Where the window begins from which the token after {@code count} others is drawn. */
    static int windowStart(int count, int context) {
        if (count <= context) return 0;
        int hop = Math.max(1, context / 2);
        return Math.ceilDiv(count - context, hop) * hop;
    }

    boolean isDone() {
        return done;
    }

    /** Draws no more. */
    void end() {
        done = true;
    }

    /** The first token that the cache lacks; where it lacks none, the last once more. */
    int next() {
        return tokens[start + position()];
    }

    /** The position of {@link #next} in the window. */
    int position() {
        return Math.min(cached, count - start - 1);
    }

    /** How many tokens the cache lacks beside the last, from which alone a token is drawn. */
    int unread() {
        return done ? 0 : Math.max(0, count - start - 1 - cached);
    }

    /** Where {@code length} tokens begin that include what is unread, as far as they reach. */
    int blockStart(int length) {
        return Math.min(position(), context - length);
    }

    /**
     * Copies {@code to.length} tokens from {@code at} on; where there are fewer, the rest may be
     * anything, as nothing looks at positions that no token has reached.
     */
    void block(int at, long[] to, int from, int length) {
        for (int i = 0; i < length && at + i < count - start; i++)
            to[from + i] = tokens[start + at + i];
    }

    /** Notes that the tokens before {@code end} are in the cache, but for the last of all. */
    void read(int end) {
        cached = Math.max(cached, Math.min(end, count - start - 1));
    }

    /** Notes that {@link #next} is in the cache now; says whether a token can be drawn. */
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

    /** Whether what was drawn ends with the first {@code length} tokens of {@code stop}. */
    private boolean endsWith(int[] stop, int length) {
        return count - length >= prompt
                && Arrays.equals(tokens, count - length, count, stop, 0, length);
    }

    /** The tokens that can be told since the last call: not those that may begin a stop word. */
    int[] news() {
        int held = 0;
        for (var stop : stops) {
            for (int length = stop.length - 1; length > held && !done; length--)
                if (endsWith(stop, length)) held = length;
        }
        int from = told;
        told = Math.max(told, count - held);
        return Arrays.copyOfRange(tokens, from, told);
    }

    int[] drawn() {
        return Arrays.copyOfRange(tokens, prompt, count);
    }
}
