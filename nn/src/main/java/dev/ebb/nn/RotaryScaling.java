package dev.ebb.nn;

import java.util.List;

/**
 * Changes the rotation speeds of rotary positions, so that a model can process more tokens than in
 * its original training. The sequence length is the one for which a program is compiled: the number
 * of tokens of a batch, or the capacity of a cache.
 */
public sealed interface RotaryScaling {

    /**
     * The speed of each pair, in radians per position.
     *
     * @param base as in {@link Rotary}
     * @param pairs half the width of a head
     * @param length of the sequences
     */
    double[] speeds(double base, int pairs, int length);

    /** The factor by which rotated queries and keys are multiplied. */
    default double size() {
        return 1;
    }

    /** Throws if a list of factors does not have a number for each pair of a head. */
    default void requirePairs(int pairs) {}

    private static double speed(double base, int pair, int pairs) {
        return StrictMath.pow(base, -(double) pair / pairs);
    }

    /** Unchanged speeds. */
    record Unscaled() implements RotaryScaling {
        @Override
        public double[] speeds(double base, int pairs, int length) {
            var speeds = new double[pairs];
            for (int i = 0; i < pairs; i++) speeds[i] = speed(base, i, pairs);
            return speeds;
        }
    }

    /** All speeds divided by {@code factor} (Chen et al., "Position interpolation", 2023). */
    record Linear(double factor) implements RotaryScaling {
        public Linear {
            requireFactor(factor);
        }

        @Override
        public double[] speeds(double base, int pairs, int length) {
            var speeds = new double[pairs];
            for (int i = 0; i < pairs; i++) speeds[i] = speed(base, i, pairs) / factor;
            return speeds;
        }
    }

    /**
     * As in Llama 3.1: pairs that rotate fewer than {@code low} times over the positions of the
     * original training are slowed down by {@code factor}, those that rotate more than {@code high}
     * times are unchanged, and in between the speed is interpolated by the number of rotations.
     *
     * @param positions the number of positions in the original training
     */
    record Llama3(double factor, double low, double high, double positions)
            implements RotaryScaling {
        public Llama3 {
            requireFactor(factor);
            if (!(low > 0 && high > low && positions > 0)) {
                throw new IllegalArgumentException(
                        ("a rotary scaling needs 0 < low < high and positive positions, not low %s,"
                                        + " high %s, positions %s")
                                .formatted(low, high, positions));
            }
        }

        @Override
        public double[] speeds(double base, int pairs, int length) {
            var speeds = new double[pairs];
            for (int i = 0; i < pairs; i++) speeds[i] = scaled(speed(base, i, pairs));
            return speeds;
        }

        private double scaled(double speed) {
            double turns = positions * speed / (2 * Math.PI);
            if (turns < low) return speed / factor;
            if (turns > high) return speed;
            double share = (turns - low) / (high - low);
            return (1 - share) * speed / factor + share * speed;
        }
    }

    /**
     * YaRN (Peng et al., 2023): pairs before the one that rotates {@code fast} times over the
     * positions of the original training are unchanged, those after the one that rotates {@code
     * slow} times are slowed down by {@code factor}, and in between the speed is interpolated by
     * the index of the pair.
     *
     * @param positions the number of positions in the original training
     * @param whole whether the indices of these two pairs are rounded outwards to integers
     * @param size the factor by which rotated queries and keys are multiplied
     */
    record Yarn(double factor, double fast, double slow, int positions, boolean whole, double size)
            implements RotaryScaling {
        public Yarn {
            requireFactor(factor);
            requireSize(size);
            if (!(slow > 0 && fast >= slow && fast < Double.POSITIVE_INFINITY && positions > 0)) {
                throw new IllegalArgumentException(
                        ("YaRN needs 0 < slow <= fast and positive positions, not slow %s, fast %s,"
                                        + " positions %s")
                                .formatted(slow, fast, positions));
            }
        }

        /** The size from the paper for a factor. */
        public static double size(double factor, double share) {
            return factor <= 1 ? 1 : 0.1 * share * StrictMath.log(factor) + 1;
        }

        @Override
        public double[] speeds(double base, int pairs, int length) {
            double first = Math.max(0, rounded(pair(fast, base, pairs), -1));
            double last = Math.min(2.0 * pairs - 1, rounded(pair(slow, base, pairs), 1));
            if (first == last) last += 0.001;
            var speeds = new double[pairs];
            for (int i = 0; i < pairs; i++) {
                double slowed = Math.clamp((i - first) / (last - first), 0, 1);
                double speed = speed(base, i, pairs);
                speeds[i] = speed / factor * slowed + speed * (1 - slowed);
            }
            return speeds;
        }

        /**
         * The index, possibly fractional, of the pair that rotates {@code turns} times over the
         * positions.
         */
        private double pair(double turns, double base, int pairs) {
            return pairs * StrictMath.log(positions / (turns * 2 * Math.PI)) / StrictMath.log(base);
        }

        private double rounded(double pair, int way) {
            if (!whole) return pair;
            return way < 0 ? Math.floor(pair) : Math.ceil(pair);
        }
    }

    /**
     * LongRoPE (Ding et al., 2024): each pair is slowed down by its own factor, from {@code near}
     * for sequences up to the positions of the original training, from {@code far} for longer ones.
     *
     * @param positions the number of positions in the original training
     * @param size the factor by which rotated queries and keys are multiplied
     */
    record LongRope(List<Double> near, List<Double> far, int positions, double size)
            implements RotaryScaling {
        public LongRope {
            near = List.copyOf(near);
            far = List.copyOf(far);
            requireSize(size);
            for (var factors : List.of(near, far))
                for (double factor : factors)
                    if (!(factor > 0 && factor < Double.POSITIVE_INFINITY))
                        throw new IllegalArgumentException(
                                "LongRoPE divides by positive factors, not by " + factor);
            if (positions < 1)
                throw new IllegalArgumentException("LongRoPE from " + positions + " positions on");
        }

        /** The size from the paper for a factor. */
        public static double size(double factor, int positions) {
            return factor <= 1
                    ? 1
                    : Math.sqrt(1 + StrictMath.log(factor) / StrictMath.log(positions));
        }

        @Override
        public void requirePairs(int pairs) {
            if (near.size() == pairs && far.size() == pairs) return;
            throw new IllegalArgumentException(
                    ("LongRoPE has %s factors for short sequences and %s for long ones; a head has"
                                    + " %s pairs")
                            .formatted(near.size(), far.size(), pairs));
        }

        @Override
        public double[] speeds(double base, int pairs, int length) {
            requirePairs(pairs);
            var factors = length > positions ? far : near;
            var speeds = new double[pairs];
            for (int i = 0; i < pairs; i++) speeds[i] = speed(base, i, pairs) / factors.get(i);
            return speeds;
        }
    }

    /**
     * Dynamic scaling: for lengths beyond {@code positions} the base grows, so that the slowest
     * pair rotates at most as far as over {@code positions}; up to that length speeds are
     * unchanged.
     *
     * @param positions the number of positions in training
     */
    record Dynamic(double factor, int positions) implements RotaryScaling {
        public Dynamic {
            requireFactor(factor);
            if (positions < 1)
                throw new IllegalArgumentException("a scaling from " + positions + " positions on");
        }

        @Override
        public double[] speeds(double base, int pairs, int length) {
            double longer = (double) Math.max(length, positions) / positions;
            double growth = factor * longer - (factor - 1);
            var speeds = new double[pairs];
            speeds[0] = 1;
            for (int i = 1; i < pairs; i++) {
                // the base times growth^(pairs / (pairs - 1)), to the power of -i / pairs
                double slower = StrictMath.pow(growth, -(double) i / (pairs - 1));
                speeds[i] = speed(base, i, pairs) * slower;
            }
            return speeds;
        }
    }

    private static void requireFactor(double factor) {
        if (factor >= 1 && factor < Double.POSITIVE_INFINITY) return;
        throw new IllegalArgumentException(
                "a rotary scaling divides by a factor of at least 1, not " + factor);
    }

    private static void requireSize(double size) {
        if (size > 0 && size < Double.POSITIVE_INFINITY) return;
        throw new IllegalArgumentException(
                "turned queries and keys are multiplied by a positive number, not " + size);
    }
}
