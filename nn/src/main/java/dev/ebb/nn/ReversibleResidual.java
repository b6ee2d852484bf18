package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.Reversible;
import dev.ebb.tensor.Tensor;

/**
 * A reversible residual block of convolutions, on two streams of [batch, channels, height, width]
 * (Gomez et al., "The reversible residual network", 2017). It uses group norms, which have no
 * running statistics, so a branch is a function of its input alone.
 */
public record ReversibleResidual(Branch f, Branch g) {

    /** Two 3x3 convolutions, each after a norm and a rectifier. */
    public record Branch(GroupNorm norm1, Conv2d conv1, GroupNorm norm2, Conv2d conv2)
            implements Fn<Tensor, Tensor> {
        private static final double EPSILON = 1e-5;

        static Branch of(int channels, int groups, Seed seed) {
            return new Branch(
                    GroupNorm.of(channels, groups, EPSILON),
                    Conv2d.same(channels, channels, 3, seed.of("conv1")),
                    GroupNorm.of(channels, groups, EPSILON),
                    Conv2d.same(channels, channels, 3, seed.of("conv2")));
        }

        @Override
        public Tensor apply(Tensor x) {
            var inner = conv1.apply(norm1.apply(x).relu());
            return conv2.apply(norm2.apply(inner).relu());
        }
    }

    /**
     * A block for streams of {@code channels} channels each, with norms over {@code groups} groups.
     */
    public static ReversibleResidual of(int channels, int groups, Seed seed) {
        return new ReversibleResidual(
                Branch.of(channels, groups, seed.of("f")),
                Branch.of(channels, groups, seed.of("g")));
    }

    /** The block, for {@link Reversible#stack}. */
    public Reversible.Block block() {
        return Reversible.block(f, g);
    }
}
