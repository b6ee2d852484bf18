package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.loop.Scratch;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.reference.Reference;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Attention;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

class FuseTest {

    static Graph trace(Function<List<Tensor>, Tensor> f, Type... types) {
        return Trace.of(in -> List.of(f.apply(in)), List.of(types)).graph();
    }

    static List<Array> run(Graph graph) {
        var lowered = Scratch.add(graph, new Reference());
        var layout = Layout.of(new StoreAll().plan(Problem.of(lowered), _ -> 1));
        try (var program = new Program(layout, new Reference())) {
            var random = new Random(3);
            for (int i = 0; i < graph.params().size(); i++) {
                var b = program.param(i);
                for (long j = 0; j < b.size(); j++) b.set(j, random.nextGaussian());
            }
            program.run();
            var out = new ArrayList<Array>();
            for (int i = 0; i < graph.results().size(); i++) {
                out.add(Array.copy(graph.results().get(i).type().shape(), program.result(i)));
            }
            return out;
        }
    }

    static void sameBits(Graph graph) {
        var plain = run(Fuse.unfused(graph));
        var fused = run(Fuse.of(graph));
        for (int i = 0; i < plain.size(); i++) {
            assertThat(plain.get(i).toDoubles()).isEqualTo(fused.get(i).toDoubles());
        }
    }

    private static final Type MATRIX = Type.of(DType.F32, 5, 7);
    private static final Type ROW = Type.of(DType.F32, 7);

    @Test
    void anElementwiseChainIsOneKernel() {
        var graph = trace(in -> in.get(0).mul(in.get(1)).add(in.get(1)).relu().mul(2), MATRIX, ROW);
        var fused = Fuse.of(graph);
        assertThat(fused.nodes()).hasSize(1);
        assertThat(fused.nodes().getFirst().kernel()).isInstanceOf(Kernel.Map.class);
        sameBits(graph);
    }

    @Test
    void aChainFlowsIntoAReduction() {
        var graph = trace(in -> in.get(0).mul(in.get(1)).exp().sum(1), MATRIX, ROW);
        assertThat(Fuse.of(graph).nodes()).hasSize(1);
        sameBits(graph);
    }

    @Test
    void biasAndResidualFollowAContraction() {
        var graph =
                trace(
                        in -> in.get(0).matmul(in.get(1)).add(in.get(2)).add(in.get(0)).relu(),
                        MATRIX,
                        Type.of(DType.F32, 7, 7),
                        ROW);
        var fused = Fuse.of(graph);
        assertThat(fused.nodes()).hasSize(1);
        assertThat(fused.nodes().getFirst().kernel()).isInstanceOf(Kernel.Contract.class);
        sameBits(graph);
    }

    @Test
    void aDeviceMayWantBiasesAddedByTheProductBeforeAnythingElse() {
        var graph =
                trace(
                        in -> in.get(0).matmul(in.get(1)).add(in.get(2)).exp().add(in.get(0)),
                        MATRIX,
                        Type.of(DType.F32, 7, 7),
                        ROW);
        var limits = new FusionLimits(16, 128, 24, 600, 0, 0, true, 32, 1 << 19, 4096, 16, 4, 2);
        var fused = Fuse.of(graph, limits);
        assertThat(fused.nodes()).hasSize(2);
        assertThat(fused.nodes().getFirst().inputs()).hasSize(3);
        assertThat(fused.nodes().getFirst().kernel()).isInstanceOf(Kernel.Contract.class);
        assertThat(fused.nodes().getLast().kernel()).isInstanceOf(Kernel.Map.class);
        var plain = run(Fuse.unfused(graph)).getFirst();
        assertThat(run(fused).getFirst().toDoubles()).isEqualTo(plain.toDoubles());
    }

    @Test
    void transposesAreReadThroughByContractions() {
        var f =
                trace(
                        in -> in.get(0).matmul(in.get(1)).square().sum(),
                        MATRIX,
                        Type.of(DType.F32, 7, 3));
        var graph = Simplify.of(Reverse.pullback(f, List.of(0, 1)));
        var fused = Fuse.of(graph);
        assertThat(fused.nodes().stream().filter(n -> n.op().name().startsWith("permute")))
                .isEmpty();
        sameBits(graph);
    }

    /** Queries, keys and values side by side, heads of width 3, as a transformer has them. */
    private static Tensor attended(Tensor x) {
        var parts =
                x.split(-1, 6, 6, 6).stream()
                        .map(t -> t.reshape(2, 5, 2, 3).permute(0, 2, 1, 3))
                        .toList();
        var y = parts.get(0).attention(parts.get(1), parts.get(2), Attention.past());
        return y.permute(0, 2, 1, 3).reshape(2, 5, 6);
    }

    @Test
    void attentionReadsAndWritesInPlace() {
        var forward = trace(in -> attended(in.getFirst()), Type.of(DType.F32, 2, 5, 18));
        assertThat(Fuse.of(forward).nodes())
                .singleElement()
                .satisfies(n -> assertThat(n.kernel()).isInstanceOf(Kernel.Attend.class));
        sameBits(forward);
        var loss =
                trace(in -> attended(in.getFirst()).square().sum(), Type.of(DType.F32, 2, 5, 18));
        var gradient = Simplify.of(Reverse.pullback(loss, List.of(0)));
        assertThat(Fuse.of(gradient).nodes().stream().map(n -> n.op().name()))
                .filteredOn(name -> name.contains("permute") || name.contains("split"))
                .isEmpty();
        sameBits(gradient);
    }

    @Test
    void attentionIsWrittenInOrderForAReaderThatNeedsIt() {
        var graph =
                trace(
                        in -> {
                            var x = in.getFirst().reshape(2, 5, 2, 9).permute(0, 2, 1, 3);
                            var y = x.attention(x, x, Attention.full());
                            var turned = y.permute(0, 2, 1, 3);
                            return Tensors.concat(List.of(turned.reshape(180), y.reshape(180)), 0);
                        },
                        Type.of(DType.F32, 2, 5, 18));
        sameBits(graph);
    }

    @Test
    void sixteenBitsRoundWhereTheyWouldHaveBeenStored() {
        var half = Type.of(DType.BF16, 5, 7);
        sameBits(trace(in -> in.get(0).mul(in.get(0)).add(in.get(0)).exp().sum(), half));
        sameBits(trace(in -> in.get(0).matmul(in.get(0).transpose()).add(1).tanh(), half));
    }

    @Test
    void reluKeepsABitAnElement() {
        var f = trace(in -> in.get(0).matmul(in.get(0)).relu().sum(), Type.of(DType.F32, 64, 64));
        var fused = Fuse.of(Simplify.of(Reverse.pullback(f, List.of(0))));
        assertThat(
                        fused.nodes().stream()
                                .flatMap(n -> n.outputs().stream())
                                .map(v -> v.type().dtype()))
                .contains(DType.BIT);
    }

    @Test
    void aLossOfSixteenBitLogitsMakesNoWideOnes() {
        var graph =
                trace(
                        in -> {
                            var logits = in.get(0).add(in.get(1));
                            return logits.crossEntropy(
                                    in.get(0).detach().argmax(1).cast(DType.I32));
                        },
                        Type.of(DType.BF16, 40, 5000),
                        Type.of(DType.BF16, 5000));
        var both = Reverse.pullback(graph, List.of(0));
        assertThat(Fuse.of(Simplify.of(both)).nodes())
                .allSatisfy(
                        node ->
                                assertThat(node.outputTypes())
                                        .doesNotContain(Type.of(DType.F32, 40, 5000)));
        sameBits(Simplify.of(both));
    }
}
