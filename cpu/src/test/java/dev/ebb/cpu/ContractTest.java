package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

class ContractTest {

    /** Which factors are stored transposed. */
    enum Form {
        PLAIN,
        LEFT,
        RIGHT,
        BOTH
    }

    private static View matrix(int rows, int columns, boolean transposed) {
        return transposed
                ? new View(0, List.of(1L, (long) rows))
                : new View(0, List.of((long) columns, 1L));
    }

    private static Parity product(DType type, int m, int n, int k, Form form) {
        var a = matrix(m, k, form == Form.LEFT || form == Form.BOTH);
        var b = matrix(k, n, form == Form.RIGHT || form == Form.BOTH);
        return new Parity(
                new Kernel.Contract(Shape.of(), m, n, k, a, b, List.of(), Scalar.arg(0)),
                List.of(Type.of(type, m * k), Type.of(type, k * n)),
                List.of(Type.of(type, m, n)));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 3, 5",
        "3, 0, 5",
        "3, 5, 0",
        "1, 1, 1",
        "1, 13, 31",
        "13, 1, 207",
        "3, 207, 1",
        "31, 64, 13",
        "64, 64, 64",
        "207, 31, 300",
        "300, 207, 64",
        "1, 300, 600",
        "300, 1, 600",
        "5, 33, 1031",
        "131, 133, 258"
    })
    void agreesInEveryFormAndFloat(int m, int n, int k) {
        for (Form form : Form.values()) {
            product(DType.F32, m, n, k, form).agrees(1e-5);
            product(DType.F64, m, n, k, form).agrees(1e-13);
            product(DType.BF16, m, n, k, form).agrees(8e-3);
            product(DType.F16, m, n, k, form).agrees(1e-3);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"I32", "I64"})
    void multipliesIntegers(DType type) {
        product(type, 13, 7, 31, Form.RIGHT).agrees(0);
    }

    @Test
    void readsBatchesOfAnyStrides() {
        // the right factor is shared along the first batch axis and runs backwards along the second
        var batch = Shape.of(3, 2);
        var a = new View(0, List.of(2L * 13 * 31, 13L * 31, 31L, 1L));
        var b = new View(31L * 17, List.of(0L, -31L * 17, 17L, 1L));
        var kernel = new Kernel.Contract(batch, 13, 17, 31, a, b, List.of(), Scalar.arg(0));
        for (DType type : List.of(DType.F32, DType.F64)) {
            new Parity(
                            kernel,
                            List.of(Type.of(type, 3, 2, 13, 31), Type.of(type, 2, 31, 17)),
                            List.of(Type.of(type, 3, 2, 13, 17)))
                    .agrees(1e-5);
        }
    }

    @Test
    void readsABatchWithOneRightFactorAsOneTallMatrix() {
        for (int m : new int[] {1, 5}) {
            var a = View.contiguous(Shape.of(4, 3, m, 20));
            var b = new View(0, List.of(0L, 0L, 9L, 1L));
            new Parity(
                            new Kernel.Contract(
                                    Shape.of(4, 3), m, 9, 20, a, b, List.of(), Scalar.arg(0)),
                            List.of(Type.of(DType.F32, 4, 3, m, 20), Type.of(DType.F32, 20, 9)),
                            List.of(Type.of(DType.F32, 4, 3, m, 9)))
                    .agrees(1e-5);
        }
    }

    /**
     * Bias along columns, a residual as large as the output (which may be overwritten), and an
     * activation.
     */
    private static Parity fused(DType type, Shape batch, int m, int n, int k) {
        int rank = batch.rank();
        var dims = new ArrayList<>(batch.dims());
        dims.add(m);
        dims.add(n);
        var out = new Shape(dims);
        var left = new Shape(new ArrayList<>(dims)).with(rank + 1, k);
        var right = new Shape(new ArrayList<>(dims)).with(rank, k);
        var bias = View.broadcast(Shape.of(n), out);
        var sum = Scalar.arg(0).add(Scalar.arg(1));
        var body = sum.max(new Scalar.Lit(type.compute(), 0)).mul(sum).add(Scalar.arg(2));
        return new Parity(
                new Kernel.Contract(
                        batch,
                        m,
                        n,
                        k,
                        View.contiguous(left),
                        View.contiguous(right),
                        List.of(bias, View.contiguous(out)),
                        body),
                List.of(
                        new Type(type, left),
                        new Type(type, right),
                        Type.of(type, n),
                        new Type(type, out)),
                List.of(new Type(type, out)));
    }

    @ParameterizedTest
    @CsvSource({
        "13, 17, 31",
        "64, 64, 600",
        "207, 1, 300",
        "1, 207, 300",
        "5, 4, 0",
        "300, 260, 513"
    })
    void appliesTheEpilogueToEverySum(int m, int n, int k) {
        fused(DType.F32, Shape.of(), m, n, k).agrees(1e-5);
        fused(DType.F64, Shape.of(), m, n, k).agrees(1e-13);
        fused(DType.BF16, Shape.of(), m, n, k).agrees(2e-2);
        fused(DType.F32, Shape.of(2, 3), m, n, k).agrees(1e-5);
    }

    @Test
    void seesItsPlaceInTheEpilogue() {
        var body =
                Scalar.arg(0)
                        .add(new Scalar.Index(2).cast(DType.F32))
                        .add(new Scalar.Position().cast(DType.F32));
        var a = View.contiguous(Shape.of(2, 7, 3));
        var b = View.broadcast(Shape.of(3, 40), Shape.of(2, 3, 40));
        new Parity(
                        new Kernel.Contract(Shape.of(2), 7, 40, 3, a, b, List.of(), body),
                        List.of(Type.of(DType.F32, 2, 7, 3), Type.of(DType.F32, 3, 40)),
                        List.of(Type.of(DType.F32, 2, 7, 40)))
                .agrees(1e-5);
    }

    @Test
    void givesTheSameBitsToAnyPartOfTheRowsAndColumns() {
        int k = 700;
        try (var cpu = new Cpu(2)) {
            var all = slice(0, 0, 300, 300, k).run(cpu).getFirst();
            for (int[] cut :
                    new int[][] {
                        {0, 0, 1, 300},
                        {17, 5, 100, 3},
                        {299, 0, 1, 300},
                        {0, 123, 300, 1},
                        {250, 250, 50, 50}
                    }) {
                var part = slice(cut[0], cut[1], cut[2], cut[3], k).run(cpu).getFirst();
                for (int i = 0; i < part.length; i++) {
                    int at = (cut[0] + i / cut[3]) * 300 + cut[1] + i % cut[3];
                    assertThat(part[i]).isEqualTo(all[at]);
                }
            }
        }
    }

    private static Parity slice(int row, int column, int m, int n, int k) {
        var a = new View((long) row * k, List.of((long) k, 1L));
        var b = new View(column, List.of(300L, 1L));
        return new Parity(
                new Kernel.Contract(Shape.of(), m, n, k, a, b, List.of(), Scalar.arg(0)),
                List.of(Type.of(DType.F32, 300, k), Type.of(DType.F32, k, 300)),
                List.of(Type.of(DType.F32, m, n)));
    }
}
