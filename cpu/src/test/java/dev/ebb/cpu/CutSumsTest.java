package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * Tests where a long sum may be split into parts that are added in order, with the bits of the
 * whole sum: the basis of docs/decisions/tiling.md.
 */
class CutSumsTest {
    private static Array random(long seed, DType type, int... dims) {
        return (Array) Key.of(seed).normal(Type.of(type, dims));
    }

    private static Tensor run(Fn2<Tensor, Tensor, Tensor> f, Array x, Array y) {
        try (var cpu = new Cpu(2);
                var compiled = Ebb.compile(f).on(cpu)) {
            return compiled.apply(x, y);
        }
    }

    /** {@code f} of groups of this many rows, with the results added in order. */
    private static Fn2<Tensor, Tensor, Tensor> inPieces(Fn2<Tensor, Tensor, Tensor> f, int rows) {
        return (x, y) -> {
            int all = x.shape().dim(0);
            Tensor sum = f.apply(x.slice(0, 0, rows), y.slice(0, 0, rows));
            for (int i = rows; i < all; i += rows) {
                int end = Math.min(all, i + rows);
                sum = sum.add(f.apply(x.slice(0, i, end), y.slice(0, i, end)));
            }
            return sum;
        };
    }

    @Test
    void aProductIsCutEvery256Terms() {
        Fn2<Tensor, Tensor, Tensor> product = (x, y) -> x.transpose().matmul(y);
        for (DType type : List.of(DType.F32, DType.F64)) {
            for (int n : new int[] {257, 1000, 2048}) {
                var x = random(n, type, n, 19);
                var y = random(n + 1, type, n, 23);
                var whole = run(product, x, y);
                assertThat(run(inPieces(product, 256), x, y).sameBits(whole)).isTrue();
                assertThat(run(inPieces(product, 128), x, y).sameBits(whole)).isFalse();
            }
        }
    }

    @Test
    void aSumOfRowsIsCutWhereItsChunksEnd() {
        Fn2<Tensor, Tensor, Tensor> sum = (x, y) -> x.mul(y).sum(0);
        for (DType type : List.of(DType.F32, DType.F64)) {
            for (int n : new int[] {300, 5_000, 10_000}) {
                int chunk = 64;
                while (64 * chunk < n) chunk *= 2;
                var x = random(n, type, n, 5);
                var y = random(n + 1, type, n, 5);
                var whole = run(sum, x, y);
                assertThat(run(inPieces(sum, chunk), x, y).sameBits(whole)).isTrue();
                assertThat(run(inPieces(sum, 3 * chunk / 2), x, y).sameBits(whole)).isFalse();
            }
        }
    }
}
