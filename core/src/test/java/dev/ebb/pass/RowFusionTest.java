package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.loop.Scratch;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.reference.Reference;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Type;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

class RowFusionTest {
    private static final Type ROWS = Type.of(DType.F32, 3, 5, 70);
    private static final Type ALONG = Type.of(DType.F32, 70);
    private static final List<Integer> LAST = List.of(-1);

    private static Graph trace(Function<List<Tensor>, Tensor> f, Type... types) {
        return Trace.of(in -> List.of(f.apply(in)), List.of(types)).graph();
    }

    private static Graph gradient(Graph forward) {
        var all = new ArrayList<Integer>();
        for (int i = 0; i < forward.params().size(); i++) all.add(i);
        return Simplify.of(Reverse.pullback(forward, all));
    }

    private static List<Kernel> kernels(Graph graph) {
        return Fuse.of(graph).nodes().stream().map(n -> n.kernel()).toList();
    }

    private static List<double[]> run(Graph graph) {
        var layout =
                Layout.of(
                        new StoreAll()
                                .plan(Problem.of(Scratch.add(graph, new Reference())), _ -> 1));
        try (var program = new Program(layout, new Reference())) {
            var random = new Random(3);
            for (int i = 0; i < graph.params().size(); i++) {
                var b = program.param(i);
                for (long j = 0; j < b.size(); j++) b.set(j, random.nextGaussian());
            }
            program.run();
            var out = new ArrayList<double[]>();
            for (int i = 0; i < graph.results().size(); i++) {
                var shape = graph.results().get(i).type().shape();
                out.add(Array.copy(shape, program.result(i)).toDoubles());
            }
            return out;
        }
    }

    private static void sameBits(Graph graph) {
        var plain = run(Fuse.unfused(graph));
        var fused = run(Fuse.of(graph));
        for (int i = 0; i < plain.size(); i++) assertThat(fused.get(i)).isEqualTo(plain.get(i));
    }

    @Test
    void aNormIsOneKernel() {
        var graph =
                trace(in -> in.get(0).layerNorm(in.get(1), in.get(2), 1e-5), ROWS, ALONG, ALONG);
        assertThat(kernels(graph)).hasSize(1).first().isInstanceOf(Kernel.Rows.class);
        sameBits(graph);
    }

    @Test
    void aSoftmaxIsOneKernel() {
        var graph = trace(in -> in.get(0).softmax(-1), ROWS);
        assertThat(kernels(graph)).hasSize(1).first().isInstanceOf(Kernel.Rows.class);
        sameBits(graph);
    }

    /** Mean and variance are stored nowhere: whoever wants them computes them again. */
    @Test
    void theGradientOfANormStoresNoNumberOfARow() {
        var forward =
                trace(
                        in ->
                                in.get(0)
                                        .layerNorm(in.get(1), in.get(2), 1e-5)
                                        .matmul(in.get(3))
                                        .square()
                                        .sum(),
                        ROWS,
                        ALONG,
                        ALONG,
                        Type.of(DType.F32, 70, 4));
        var graph = gradient(forward);
        var sizes =
                Fuse.of(graph).nodes().stream()
                        .flatMap(n -> n.outputs().stream())
                        .map(v -> v.type().size());
        assertThat(sizes).doesNotContain(15L);
        assertThat(kernels(graph)).filteredOn(k -> k instanceof Kernel.Rows).hasSize(3);
        sameBits(graph);
    }

    @Test
    void aFoldWithAReaderOfAnotherKindIsStored() {
        var graph =
                trace(
                        in -> {
                            var mean = in.get(0).mean(LAST, true);
                            return in.get(0).sub(mean).add(mean.reshape(15).cumsum(0).sum());
                        },
                        ROWS);
        assertThat(kernels(graph)).noneMatch(k -> k instanceof Kernel.Rows);
        sameBits(graph);
    }

    /** Two readers would take the exponentials twice. */
    @Test
    void aDearFoldIsComputedOnce() {
        var graph =
                trace(
                        in -> {
                            var x = in.get(0);
                            var sum = x.exp().sum(LAST, true);
                            return x.div(sum).matmul(in.get(1)).add(x.mul(sum).matmul(in.get(1)));
                        },
                        ROWS,
                        Type.of(DType.F32, 70, 4));
        assertThat(kernels(graph)).noneMatch(k -> k instanceof Kernel.Rows);
        sameBits(graph);
    }

    /** The logarithm of the sum is a number of the row, as the largest and the sum are. */
    @Test
    void whatIsTheSameAlongARowIsComputedOnceForIt() {
        var graph = trace(in -> in.get(0).logSoftmax(-1), ROWS);
        var rows = (Kernel.Rows) kernels(graph).getFirst();
        assertThat(rows.numbers()).hasSize(3);
        assertThat(((RowParts.Elements) rows.result()).body().cost()).isEqualTo(2);
        sameBits(graph);
    }

    @Test
    void rowsThatNoCacheHoldsAreLeftAlone() {
        var graph = trace(in -> in.get(0).softmax(-1), Type.of(DType.F32, 2, 20_000));
        assertThat(kernels(graph)).noneMatch(k -> k instanceof Kernel.Rows);
    }

    @Test
    void sixteenBitsRoundAsIfNumbersWereStored() {
        var half = Type.of(DType.BF16, 4, 70);
        var weight = Type.of(DType.BF16, 70);
        sameBits(gradient(trace(in -> in.get(0).rmsNorm(in.get(1), 1e-5).sum(), half, weight)));
        sameBits(trace(in -> in.get(0).sub(in.get(0).mean(LAST, true)).exp(), half));
    }

    /** One kernel costs less than its parts, and more than reading and writing. */
    @Test
    void rowsArePricedByOneReadAndAllFolds() {
        var graph = trace(in -> in.get(0).softmax(-1), Type.of(DType.F32, 4096, 256));
        var cost = Roofline.typical();
        var fused = Fuse.of(graph).nodes().getFirst();
        double parts = Fuse.unfused(graph).nodes().stream().mapToDouble(cost::of).sum();
        double traffic = 2 * 4.0 * 4096 * 256 / cost.bytes();
        assertThat(cost.of(fused)).isBetween(traffic, parts);
    }
}
