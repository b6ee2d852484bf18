package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.grad.Reverse;
import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Function;

/** Several results of the same rows as one kernel. */
class JointRowsTest {
    private static final long FEWEST = 8;
    private static final FusionLimits LIMITS =
            new FusionLimits(16, 128, 24, 600, 0, 0, true, 10, 1 << 19, 4096, 16, 4, FEWEST);

    private static final Type X = Type.of(DType.F32, 2, 5, 40);
    private static final Type ROW = Type.of(DType.F32, 40);

    private static Graph trace(Function<List<Tensor>, List<Tensor>> f, Type... types) {
        return Trace.of(f::apply, List.of(types)).graph();
    }

    private static Graph gradient(
            Function<List<Tensor>, Tensor> loss, List<Integer> of, Type... types) {
        var graph = trace(in -> List.of(loss.apply(in)), types);
        return Simplify.of(Reverse.pullback(graph, of));
    }

    private static void sameBits(Graph graph, Graph fused) {
        var plain = FuseTest.run(Fuse.unfused(graph));
        var merged = FuseTest.run(fused);
        for (int i = 0; i < plain.size(); i++)
            assertThat(plain.get(i).toDoubles()).isEqualTo(merged.get(i).toDoubles());
    }

    private static List<Kernel.Rows> joint(Graph graph) {
        return graph.nodes().stream()
                .map(Node::kernel)
                .filter(k -> k instanceof Kernel.Rows rows && rows.results().size() > 1)
                .map(k -> (Kernel.Rows) k)
                .toList();
    }

    private static long elements(Kernel.Rows k) {
        return k.results().stream().filter(r -> r instanceof RowParts.Elements).count();
    }

    private static long columns(Kernel.Rows k) {
        return k.results().stream().filter(r -> r instanceof RowParts.Columns).count();
    }

    @Test
    void the_gradients_of_a_norm_and_of_its_weights_are_one_kernel() {
        for (var type : List.of(DType.F32, DType.BF16)) {
            var graph =
                    gradient(
                            in -> {
                                var y =
                                        in.get(0)
                                                .cast(type)
                                                .layerNorm(
                                                        in.get(1).cast(type),
                                                        in.get(2).cast(type),
                                                        1e-5);
                                return y.mul(in.get(3).cast(type)).cast(DType.F32).sum();
                            },
                            List.of(0, 1, 2),
                            X,
                            ROW,
                            ROW,
                            X);
            var fused = Fuse.of(graph, LIMITS);
            assertThat(joint(fused)).hasSize(1);
            assertThat(elements(joint(fused).getFirst())).isEqualTo(1);
            assertThat(columns(joint(fused).getFirst())).isEqualTo(2);
            sameBits(graph, fused);
        }
    }

    @Test
    void the_gradient_before_a_bias_and_that_of_the_bias_are_one_kernel() {
        var graph =
                gradient(
                        in -> in.get(0).add(in.get(1)).tanh().mul(in.get(2)).sum(),
                        List.of(0, 1),
                        X,
                        ROW,
                        X);
        var fused = Fuse.of(graph, LIMITS);
        assertThat(joint(fused)).hasSize(1);
        assertThat(joint(fused).getFirst().numbers()).isEmpty();
        sameBits(graph, fused);
    }

    @Test
    void a_cross_entropy_reads_its_logits_once() {
        var logits = Type.of(DType.F32, 10, 40);
        var graph =
                gradient(
                        in -> in.get(0).crossEntropy(in.get(1).mul(in.get(1))),
                        List.of(0),
                        logits,
                        Type.of(DType.I32, 10));
        var fused = Fuse.of(graph, LIMITS);
        assertThat(joint(fused)).hasSize(1);
        assertThat(elements(joint(fused).getFirst())).isEqualTo(1);
        // everything else that reads the logits comes before: the gradient may be written over them
        var large = graph.params().getFirst();
        var readers = fused.nodes().stream().filter(n -> n.inputs().contains(large)).toList();
        assertThat(readers.getLast().kernel()).isEqualTo(joint(fused).getFirst());
        sameBits(graph, fused);
    }

    @Test
    void fewer_rows_than_the_limit_are_kernels_of_their_own() {
        var few = Type.of(DType.F32, (int) FEWEST - 1, 40);
        var graph =
                gradient(
                        in -> in.get(0).add(in.get(1)).tanh().mul(in.get(2)).sum(),
                        List.of(0, 1),
                        few,
                        ROW,
                        few);
        assertThat(joint(Fuse.of(graph, LIMITS))).isEmpty();
    }

    @Test
    void rows_and_columns_of_no_elements_are_left_alone() {
        for (var empty : List.of(Type.of(DType.F32, 0, 40), Type.of(DType.F32, 9, 0))) {
            var graph =
                    gradient(
                            in -> in.get(0).sum(List.of(1), true).exp().mul(in.get(0)).sum(),
                            List.of(0),
                            empty);
            var fused = Fuse.of(graph, LIMITS);
            assertThat(joint(fused)).isEmpty();
            sameBits(graph, fused);
        }
    }

    @Test
    void results_of_other_rows_or_with_large_operands_of_their_own_stay_apart() {
        var graph =
                trace(
                        in ->
                                List.of(
                                        in.get(0).mul(in.get(1)).sum(List.of(2), false),
                                        in.get(0).mul(in.get(2)).sum(List.of(2), false),
                                        in.get(0).sum(List.of(1, 2), false)),
                        X,
                        X,
                        X);
        var fused = Fuse.of(graph, LIMITS);
        assertThat(joint(fused)).isEmpty();
        sameBits(graph, fused);
    }
}
