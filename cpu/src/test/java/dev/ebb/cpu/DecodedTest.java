package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.exec.program.Program;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Decoded;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.KernelText;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Products whose right factor is held in bytes: widened while it is packed, they have the bits of
 * widening it first, and the wide factor is in no buffer.
 */
class DecodedTest {
    private static Graph trace(Function<List<Tensor>, Tensor> f, Type... types) {
        return Trace.of(in -> List.of(f.apply(in)), List.of(types)).graph();
    }

    private static double[] run(Graph graph, Device device) {
        var lowered = Scratch.add(graph, device);
        var layout = Layout.of(new StoreAll().plan(Problem.of(lowered), _ -> 1));
        try (var program = new Program(layout, device)) {
            var random = new SplittableRandom(3);
            for (int i = 0; i < graph.params().size(); i++) fill(program.param(i), random);
            program.run();
            var out = program.result(0);
            var values = new double[Math.toIntExact(out.size())];
            for (int i = 0; i < values.length; i++) values[i] = out.get(i);
            return values;
        }
    }

    private static void fill(Buffer buffer, SplittableRandom random) {
        for (long i = 0; i < buffer.size(); i++) {
            if (buffer.dtype().isFloat()) buffer.set(i, random.nextDouble(-1, 1));
            else buffer.setLong(i, random.nextInt(256));
        }
    }

    /** On the CPU, and where the product is small on the Reference. */
    private static void sameBits(Graph graph) {
        var fused = Fuse.of(graph);
        assertThat(fused.nodes()).anyMatch(n -> n.kernel() instanceof Decoded);
        assertThat(fused.nodes()).noneMatch(n -> n.kernel() instanceof Kernel.Contract);
        for (int threads = 1; threads <= 2; threads++) {
            try (var cpu = new Cpu(threads)) {
                assertThat(run(fused, cpu)).isEqualTo(run(Fuse.unfused(graph), cpu));
            }
        }
        if (graph.params().get(1).type().size() > 2000) return;
        var reference = new Reference();
        assertThat(run(fused, reference)).isEqualTo(run(Fuse.unfused(graph), reference));
    }

    /** One scale for each column. */
    private static Tensor eight(Tensor codes, Tensor scales, DType type) {
        return codes.cast(type).sub(128).mul(scales.cast(type));
    }

    /** Two codes a byte; a scale for each column of each of {@code blocks} blocks of rows. */
    private static Tensor low(Tensor codes, Tensor scales, int blocks) {
        var stored = codes.cast(DType.F32);
        var low = stored.sub(stored.div(16).floor().mul(16)).sub(8);
        int columns = codes.dim(1);
        return low.reshape(blocks, -1, columns)
                .mul(scales.reshape(blocks, 1, columns))
                .reshape(-1, columns);
    }

    @ParameterizedTest
    @CsvSource({
        "f32, 1, 8, 8",
        "f32, 5, 33, 40",
        "f32, 3, 600, 20",
        "f32, 70, 9, 300",
        "f32, 130, 130, 530",
        "f32, 600, 35, 13",
        "bf16, 5, 33, 40",
        "f16, 70, 40, 300"
    })
    void bytesGiveTheBitsOfTheWideFactor(String name, int m, int n, int k) {
        var type = DType.valueOf(name.toUpperCase(Locale.ROOT));
        var x = Type.of(type, m, k);
        var scales = Type.of(DType.F32, n);
        sameBits(
                trace(
                        in -> in.get(0).matmul(eight(in.get(1), in.get(2), type)),
                        x,
                        Type.of(DType.U8, k, n),
                        scales));
        sameBits(
                trace(
                        in -> in.get(0).matmul(eight(in.get(1), in.get(2), type).transpose()),
                        x,
                        Type.of(DType.U8, n, k),
                        Type.of(DType.F32, k)));
    }

    @Test
    void blocksOfHalfBytesGiveTheBitsOfTheWideFactor() {
        for (int columns : new int[] {9, 70}) {
            var codes = Type.of(DType.U8, 384, columns);
            var scales = Type.of(DType.F32, 6, columns);
            sameBits(
                    trace(
                            in -> in.get(0).matmul(low(in.get(1), in.get(2), 6)),
                            Type.of(DType.F32, 7, 384),
                            codes,
                            scales));
            sameBits(
                    trace(
                            in -> in.get(0).matmul(low(in.get(1), in.get(2), 6).transpose()),
                            Type.of(DType.F32, 7, columns),
                            codes,
                            scales));
        }
    }

    @Test
    void anEpilogueFollowsAndTheTextTellsBoth() {
        var graph =
                trace(
                        in ->
                                in.get(0)
                                        .matmul(eight(in.get(1), in.get(2), DType.F32))
                                        .add(in.get(3))
                                        .relu(),
                        Type.of(DType.F32, 2, 5, 24),
                        Type.of(DType.U8, 24, 40),
                        Type.of(DType.F32, 40),
                        Type.of(DType.F32, 40));
        sameBits(graph);
        var fused = Fuse.of(graph);
        assertThat(fused.nodes()).hasSize(1);
        assertThat(KernelText.of(fused)).contains("product", "(map [24,40]");
    }

    @Test
    void aFactorThatSomethingElseReadsIsStored() {
        var graph =
                trace(
                        in -> {
                            var wide = eight(in.get(1), in.get(2), DType.F32);
                            return in.get(0).matmul(wide).sum().add(wide.exp().sum());
                        },
                        Type.of(DType.F32, 5, 24),
                        Type.of(DType.U8, 24, 40),
                        Type.of(DType.F32, 40));
        assertThat(Fuse.of(graph).nodes()).noneMatch(n -> n.kernel() instanceof Decoded);
    }
}
