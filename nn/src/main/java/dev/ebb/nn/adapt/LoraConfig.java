package dev.ebb.nn.adapt;

import java.util.List;

/**
 * The layers that have adapters, and the adapters' rank and scale.
 *
 * @param rank the rank of each adapter
 * @param alpha an adapter is scaled by {@code alpha / rank}
 * @param rankStabilised whether it is scaled by {@code alpha / sqrt(rank)} instead (Kalajdzievski,
 *     2023)
 * @param targets the last parts of the published names of the layers, such as {@code c_attn}; if
 *     empty, every dense layer of every block
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

    /** Adapters for every dense layer of every block, with a scale of two. */
    public static LoraConfig of(int rank) {
        return new LoraConfig(rank, 2.0 * rank, false, List.of());
    }

    /** The same with adapters for these layers only. */
    public LoraConfig at(String... targets) {
        return new LoraConfig(rank, alpha, rankStabilised, List.of(targets));
    }

    /** The factor by which an adapter is scaled. */
    public double scale() {
        return rankStabilised ? alpha / Math.sqrt(rank) : alpha / rank;
    }

    /** Whether the layer with this published name has an adapter. */
    boolean isTarget(String name) {
        return targets.isEmpty()
                || targets.stream().anyMatch(t -> name.equals(t) || name.endsWith("." + t));
    }
}
