package dev.ebb.nn.generate;

import java.util.Arrays;
import java.util.BitSet;

/**
 * How the next token is drawn from a model's scores.
 *
 * @param temperature the divisor of scores: below one, likely tokens become more likely; zero takes
 *     the most likely token
 * @param top draws among this many most likely tokens
 * @param nucleus draws among the most likely tokens whose probabilities reach this sum (Holtzman et
 *     al., "The curious case of neural text degeneration", 2020); one for all
 * @param repetition the divisor, or factor if negative, of the scores of tokens that occurred
 *     before (Keskar et al., "CTRL", 2019); one for no penalty
 */
public record Sampling(double temperature, int top, double nucleus, double repetition) {

    public Sampling {
        require(temperature >= 0, "a temperature must be zero or more, not " + temperature);
        require(top >= 1, "a draw needs one token at least to draw among, not " + top);
        require(nucleus > 0 && nucleus <= 1, "a nucleus is in (0, 1], not " + nucleus);
        require(
                repetition >= 1 && repetition < Double.POSITIVE_INFINITY,
                "a repetition penalty is one or more, not " + repetition);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) throw new IllegalArgumentException(otherwise);
    }

    /** Always the most likely token. */
    public static Sampling greedy() {
        return new Sampling(0, 1, 1, 1);
    }

    /** Among all tokens, by their probabilities. */
    public static Sampling plain() {
        return new Sampling(1, Integer.MAX_VALUE, 1, 1);
    }

    public Sampling temperature(double other) {
        return new Sampling(other, top, nucleus, repetition);
    }

    public Sampling top(int other) {
        return new Sampling(temperature, other, nucleus, repetition);
    }

    public Sampling nucleus(double other) {
        return new Sampling(temperature, top, other, repetition);
    }

    public Sampling repetition(double other) {
        return new Sampling(temperature, top, nucleus, other);
    }

    /**
     * Draws a token by these scores, with {@code uniform} in (0, 1). Of equal scores the first
     * token counts as more likely.
     *
     * @param seen the tokens that occurred before
     */
    int draw(float[] scores, BitSet seen, double uniform) {
        var order = likeliestFirst(penalised(scores, seen));
        // NaN sorts first
        if (Double.isNaN(score(order[0])))
            throw new IllegalArgumentException(
                    "the score of token "
                            + token(order[0])
                            + " is not a number: the weights are damaged, or too large for their"
                            + " type");
        if (temperature == 0) return token(order[0]);
        int count = Math.min(top, order.length);
        var weights = new double[count];
        double most = score(order[0]);
        double sum = 0;
        for (int i = 0; i < count; i++) {
            weights[i] = StrictMath.exp((score(order[i]) - most) / temperature);
            sum += weights[i];
        }
        double reached = 0;
        for (int i = 0; i < count && nucleus < 1; i++) {
            reached += weights[i];
            if (reached >= nucleus * sum) count = i + 1;
        }
        double left = uniform * (nucleus < 1 ? reached : sum);
        for (int i = 0; i < count; i++) {
            left -= weights[i];
            if (left <= 0) return token(order[i]);
        }
        return token(order[count - 1]);
    }

    private float[] penalised(float[] scores, BitSet seen) {
        if (repetition == 1) return scores;
        var result = scores.clone();
        for (int t = seen.nextSetBit(0); t >= 0; t = seen.nextSetBit(t + 1))
            result[t] = (float) (result[t] < 0 ? result[t] * repetition : result[t] / repetition);
        return result;
    }

    /**
     * Packs score and token into one long each, so that sorting the longs sorts by likelihood: the
     * bits of floats sort like their values after those of negative ones are flipped.
     */
    private static long[] likeliestFirst(float[] scores) {
        var order = new long[scores.length];
        for (int i = 0; i < order.length; i++) {
            int bits = Float.floatToIntBits(scores[i]);
            int rising = bits ^ (bits >> 31 & 0x7fffffff);
            order[i] = (long) ~rising << 32 | i;
        }
        Arrays.sort(order);
        return order;
    }

    private static int token(long ordered) {
        return (int) ordered;
    }

    private static double score(long ordered) {
        int rising = ~(int) (ordered >> 32);
        return Float.intBitsToFloat(rising ^ (rising >> 31 & 0x7fffffff));
    }
}
