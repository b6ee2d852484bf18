package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.grad.Reverse;
import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.reference.Guarded;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Function;

/** Folds of the same elements as one kernel, and what is computed again in their readers. */
class JointFoldsTest {
    private static final FusionLimits LIMITS =
            new FusionLimits(
                    16, 128, 24, 600, 0, 0, true, 32, 1 << 19, 4096, 16, 4, Long.MAX_VALUE);

    private static final Type X = Type.of(DType.F32, 3, 4, 5, 6);
    private static final Type CHANNELS = Type.of(DType.F32, 4);

    private static Graph trace(Function<List<Tensor>, List<Tensor>> f, Type... types) {
        return Trace.of(f::apply, List.of(types)).graph();
    }

    private static List<Integer> folds(Graph graph) {
        return graph.nodes().stream()
                .filter(n -> n.kernel() instanceof Kernel.Fold)
                .map(n -> n.outputs().size())
                .toList();
    }

    private static void sameBits(Graph graph, Graph fused) {
        var plain = FuseTest.run(Fuse.unfused(graph));
        var merged = FuseTest.run(fused);
        for (int i = 0; i < plain.size(); i++)
            assertThat(plain.get(i).toDoubles()).isEqualTo(merged.get(i).toDoubles());
    }

    /** The gradient of a batch norm with a rectifier behind it, in the type {@code type}. */
    private static Graph norm(DType type) {
        var loss =
                trace(
                        in -> {
                            var y =
                                    in.get(0)
                                            .cast(type)
                                            .batchNorm(
                                                    in.get(1).cast(type),
                                                    in.get(2).cast(type),
                                                    1e-5)
                                            .y()
                                            .relu();
                            return List.of(y.mul(in.get(3).cast(type)).cast(DType.F32).sum());
                        },
                        X,
                        CHANNELS,
                        CHANNELS,
                        X);
        return Simplify.of(Reverse.pullback(loss, List.of(0, 1, 2)));
    }

    @Test
    void the_sums_of_a_batch_norms_gradient_read_its_input_once() {
        for (var type : List.of(DType.F32, DType.BF16)) {
            var graph = norm(type);
            var fused = Fuse.of(graph, LIMITS);
            // the mean and the variance wait for each other; the two sums of the gradient do not
            assertThat(folds(fused)).contains(2);
            sameBits(graph, fused);
        }
    }

    @Test
    void the_gradient_behind_a_rectifier_is_computed_in_its_readers() {
        var graph = norm(DType.F32);
        long stored = large(Fuse.of(graph, LIMITS));
        long storedAlone = large(Fuse.of(graph, Guarded.joint(LIMITS, 1, Long.MAX_VALUE)));
        assertThat(stored).isLessThan(storedAlone);
    }

    /** How many values of the size of the input are stored. */
    private static long large(Graph graph) {
        return graph.nodes().stream()
                .flatMap(n -> n.outputs().stream())
                .filter(v -> v.type().size() == X.size())
                .count();
    }

    @Test
    void a_sum_that_waits_for_another_stays_by_itself() {
        var graph =
                trace(
                        in -> {
                            var sum = in.get(0).sum(List.of(0, 2, 3), true);
                            return List.of(sum, in.get(0).mul(sum).sum(List.of(0, 2, 3), true));
                        },
                        X);
        var fused = Fuse.of(graph, LIMITS);
        assertThat(folds(fused)).containsExactly(1, 1);
        sameBits(graph, fused);
    }

    @Test
    void sums_over_other_axes_or_with_large_operands_of_their_own_stay_by_themselves() {
        var axes = List.of(0, 2, 3);
        var graph =
                trace(
                        in ->
                                List.of(
                                        in.get(0).mul(in.get(1)).sum(axes, true),
                                        in.get(0).mul(in.get(2)).sum(axes, true),
                                        in.get(0).sum(List.of(0, 1), true)),
                        X,
                        X,
                        X);
        var fused = Fuse.of(graph, LIMITS);
        assertThat(folds(fused)).containsExactly(1, 1, 1);
        sameBits(graph, fused);
    }

    @Test
    void no_more_sums_than_the_limit_are_one_kernel() {
        var graph =
                trace(
                        in -> {
                            var x = in.getFirst();
                            return List.of(
                                    x.sum(List.of(0, 2, 3), true),
                                    x.square().sum(List.of(0, 2, 3), true),
                                    x.exp().sum(List.of(0, 2, 3), true),
                                    x.tanh().sum(List.of(0, 2, 3), true),
                                    x.mul(3).sum(List.of(0, 2, 3), true));
                        },
                        X);
        var fused = Fuse.of(graph, LIMITS);
        assertThat(folds(fused)).containsExactlyInAnyOrder(4, 1);
        sameBits(graph, fused);
    }
}
