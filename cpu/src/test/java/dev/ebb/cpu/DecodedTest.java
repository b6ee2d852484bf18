package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Device;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

/**
 * Products whose right factor is stored in bytes: widened while it is packed, they have the bits of
 * widening it first, and no buffer holds the wide factor.
 */
class DecodedTest {
    /** How a factor is widened, and the computation from it and the other operands. */
    private record Product(
            Fn<List<Tensor>, Tensor> widening, BiFunction<List<Tensor>, Tensor, Tensor> of) {
        Tensor whole(List<Tensor> in) {
            return of.apply(in, widening.apply(in));
        }

        /** The result from a wide factor, the last of {@code in}. */
        Tensor ofWide(List<Tensor> in) {
            return of.apply(in.subList(0, in.size() - 1), in.getLast());
        }
    }

    private static Product plain(Fn<List<Tensor>, Tensor> widening) {
        return new Product(widening, (in, wide) -> in.getFirst().matmul(wide));
    }

    private static Product transposed(Fn<List<Tensor>, Tensor> widening) {
        return new Product(widening, (in, wide) -> in.getFirst().matmul(wide.transpose()));
    }

    private static List<Tensor> operands(Type... types) {
        var random = new SplittableRandom(3);
        var all = new ArrayList<Tensor>();
        for (var type : types) {
            var values = new float[Math.toIntExact(type.size())];
            for (int i = 0; i < values.length; i++)
                values[i] =
                        type.dtype().isFloat()
                                ? (float) random.nextDouble(-1, 1)
                                : random.nextInt(256);
            all.add(Array.of(new Shape(type.shape().dims()), values).cast(type.dtype()));
        }
        return all;
    }

    private static Tensor run(Fn<List<Tensor>, Tensor> f, List<Tensor> in, Device device) {
        try (var compiled = Ebb.compile(f).on(device)) {
            return compiled.apply(in);
        }
    }

    private static List<Node> nodes(Fn<List<Tensor>, Tensor> f, List<Tensor> in, Device device) {
        try (var compiled = Ebb.compile(f).on(device)) {
            return compiled.plan(in).schedule().problem().graph().nodes();
        }
    }

    /** Compares bits on the CPU, and for small products on the Reference. */
    private static void sameBits(Product product, Type... types) {
        var in = operands(types);
        for (int threads = 1; threads <= 2; threads++) {
            try (var cpu = new Cpu(threads)) {
                assertThat(nodes(product::whole, in, cpu))
                        .anyMatch(n -> n.kernel() instanceof DecodingContract)
                        .noneMatch(n -> n.kernel() instanceof Kernel.Contract);
                sameBits(product, in, cpu);
            }
        }
        if (types[1].size() <= 2000) sameBits(product, in, new Reference());
    }

    private static void sameBits(Product product, List<Tensor> in, Device device) {
        var operands = new ArrayList<>(in);
        operands.add(run(product.widening, in, device));
        assertThat(run(product::whole, in, device).toDoubles())
                .isEqualTo(run(product::ofWide, operands, device).toDoubles());
    }

    /** Widens 8-bit codes, with one scale for each column. */
    private static Tensor eight(Tensor codes, Tensor scales, DType type) {
        return codes.cast(type).sub(128).mul(scales.cast(type));
    }

    /**
     * Widens 4-bit codes, two per byte; with a scale for each column of each of {@code blocks}
     * blocks of rows.
     */
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
        Fn<List<Tensor>, Tensor> widening = in -> eight(in.get(1), in.get(2), type);
        var x = Type.of(type, m, k);
        sameBits(plain(widening), x, Type.of(DType.U8, k, n), Type.of(DType.F32, n));
        sameBits(transposed(widening), x, Type.of(DType.U8, n, k), Type.of(DType.F32, k));
    }

    @Test
    void blocksOfHalfBytesGiveTheBitsOfTheWideFactor() {
        Fn<List<Tensor>, Tensor> widening = in -> low(in.get(1), in.get(2), 6);
        for (int columns : new int[] {9, 70}) {
            var codes = Type.of(DType.U8, 384, columns);
            var scales = Type.of(DType.F32, 6, columns);
            sameBits(plain(widening), Type.of(DType.F32, 7, 384), codes, scales);
            sameBits(transposed(widening), Type.of(DType.F32, 7, columns), codes, scales);
        }
    }

    @Test
    void anEpilogueFollows() {
        var product =
                new Product(
                        in -> eight(in.get(1), in.get(2), DType.F32),
                        (in, wide) -> in.get(0).matmul(wide).add(in.get(3)).relu());
        Type[] types = {
            Type.of(DType.F32, 2, 5, 24),
            Type.of(DType.U8, 24, 40),
            Type.of(DType.F32, 40),
            Type.of(DType.F32, 40)
        };
        sameBits(product, types);
        try (var cpu = new Cpu(1)) {
            assertThat(nodes(product::whole, operands(types), cpu)).hasSize(1);
        }
    }

    @Test
    void aFactorThatSomethingElseReadsIsStored() {
        Fn<List<Tensor>, Tensor> f =
                in -> {
                    var wide = eight(in.get(1), in.get(2), DType.F32);
                    return in.get(0).matmul(wide).sum().add(wide.exp().sum());
                };
        var in =
                operands(
                        Type.of(DType.F32, 5, 24),
                        Type.of(DType.U8, 24, 40),
                        Type.of(DType.F32, 40));
        try (var cpu = new Cpu(1)) {
            assertThat(nodes(f, in, cpu)).noneMatch(n -> n.kernel() instanceof DecodingContract);
        }
    }
}
