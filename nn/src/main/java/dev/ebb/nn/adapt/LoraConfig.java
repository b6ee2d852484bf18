package dev.ebb.nn.adapt;

import java.util.List;

/**
 * Which layers are corrected, and how.
 *
 * @param rank the rank of each correction
 * @param alpha the correction counts {@code alpha / rank} times
 * @param rankStabilised whether it counts {@code alpha / sqrt(rank)} times instead (Kalajdzievski,
 *     2023)
 * @param targets the last parts of the published names of the layers, such as {@code c_attn}; none
 *     means every dense layer of every block
 */
public record LoraConfig(int rank, double alpha, boolean rankStabilised, List<String> targets) {
    public LoraConfig {
        targets = List.copyOf(targets);
        if (rank < 1) {
            throw new IllegalArgumentException(
                    "a correction has a rank of at least 1, not " + rank + "; 8 is common");
        }
        if (!Double.isFinite(alpha)) {
            throw new IllegalArgumentException(
                    "an alpha of " + alpha + "; twice the rank is common");
        }
    }

    /** Every dense layer of every block, counted twice. */
    public static LoraConfig of(int rank) {
        return new LoraConfig(rank, 2.0 * rank, false, List.of());
    }

    /** The same for some layers only. */
    public LoraConfig at(String... targets) {
        return new LoraConfig(rank, alpha, rankStabilised, List.of(targets));
    }

    /** By how much a correction counts. */
    public double scale() {
        return rankStabilised ? alpha / Math.sqrt(rank) : alpha / rank;
    }

    /** Whether the layer of this published name is corrected. */
    boolean isTarget(String name) {
        return targets.isEmpty()
                || targets.stream().anyMatch(t -> name.equals(t) || name.endsWith("." + t));
    }
}
