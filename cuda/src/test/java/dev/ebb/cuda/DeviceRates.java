package dev.ebb.cuda;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Rates of large kernels on random numbers, each the median of several runs between events. */
final class DeviceRates extends CardTimer {
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);

    private final Path file;

    DeviceRates(OpenCard card, Path file) {
        super(card);
        this.file = file;
    }

    void run() throws IOException {
        elementwise();
        rows();
        moves();
        products();
        attention();
        launches();
        System.out.println();
        lines.forEach(System.out::println);
        try (var out = new PrintWriter(Files.newBufferedWriter(file))) {
            lines.forEach(out::println);
        }
    }

    /** The kernels that the benchmark compares with other libraries. */
    List<Measured> peers() {
        elementwise();
        rows();
        attention();
        return measured;
    }

    private void elementwise() {
        var big = Shape.of(1 << 26);
        var own = View.contiguous(big);
        for (var type : List.of(DType.F32, DType.BF16)) {
            var t = new Type(type, big);
            measure("map copy " + t, Kernel.Map.of(big, List.of(own), X), List.of(t), t);
            var inner = X.add(Y);
            var gelu =
                    inner.mul(lit(0.5))
                            .mul(
                                    lit(1).add(
                                                    inner.add(
                                                                    inner.mul(inner)
                                                                            .mul(inner)
                                                                            .mul(lit(0.044715)))
                                                            .mul(lit(0.79788))
                                                            .tanh()));
            measure(
                    "map gelu(x + y) * z " + t,
                    Kernel.Map.of(big, List.of(own, own, own), gelu.mul(Scalar.arg(2))),
                    List.of(t, t, t),
                    t);
        }
        var f = new Type(DType.F32, big);
        var m = Scalar.arg(1).mul(lit(0.9)).add(Scalar.arg(3).mul(lit(0.1)));
        var v = Scalar.arg(2).mul(lit(0.999)).add(Scalar.arg(3).mul(Scalar.arg(3)).mul(lit(0.001)));
        var w = X.mul(lit(0.9999)).sub(m.mul(lit(0.001)).div(v.abs().sqrt().add(lit(1e-8))));
        measure(
                "AdamW, 4 in 3 out",
                new Kernel.Map(big, List.of(own, own, own, own), List.of(w, m, v)),
                List.of(f, f, f, f),
                List.of(f, f, f),
                7.0 * f.bytes(),
                0,
                Precision.F32);
        var draw = new Scalar.Draw(new Scalar.Lit(DType.I64, 5), new Scalar.Position());
        measure(
                "map dropout of f32",
                Kernel.Map.of(
                        big, List.of(own), draw.lt(new Scalar.Lit(DType.I32, 0)).select(X, lit(0))),
                List.of(f),
                f);
        var square = Shape.of(8192, 8192);
        var turned = new View(0, List.of(1L, 8192L));
        measure(
                "map transpose 8192 x 8192 f32",
                Kernel.Map.of(square, List.of(turned), X),
                List.of(new Type(DType.F32, square)),
                new Type(DType.F32, square));
    }

    private void rows() {
        for (var type : List.of(DType.F32, DType.BF16)) {
            for (int rows : new int[] {16384, 65536}) norms(type, rows);
            var wide = Shape.of(16384, 32768);
            var w = new Type(type, wide);
            var most = new RowParts.Fold(Kernel.Combine.MAX, X);
            var sum = new RowParts.Fold(Kernel.Combine.SUM, X.sub(Y).exp());
            measure(
                    "softmax rows " + w,
                    new Kernel.Rows(
                            wide,
                            1,
                            List.of(View.contiguous(wide)),
                            List.of(most, sum),
                            new RowParts.Elements(X.sub(Y).exp().div(Scalar.arg(2)))),
                    List.of(w),
                    w);
            measure(
                    "log of the sum, rows " + w,
                    new Kernel.Rows(
                            wide,
                            1,
                            List.of(View.contiguous(wide)),
                            List.of(most, sum),
                            new RowParts.RowNumber(1)),
                    List.of(w),
                    Type.of(DType.F32, 16384));
            var big = Shape.of(1 << 28);
            measure(
                    "fold of all " + new Type(type, big),
                    new Kernel.Fold(
                            big, List.of(0), Kernel.Combine.SUM, List.of(View.contiguous(big)), X),
                    List.of(new Type(type, big)),
                    Type.of(type));
            var tall = Shape.of(16384, 4096);
            measure(
                    "fold of columns " + new Type(type, tall),
                    new Kernel.Fold(
                            tall,
                            List.of(0),
                            Kernel.Combine.SUM,
                            List.of(View.contiguous(tall)),
                            X),
                    List.of(new Type(type, tall)),
                    Type.of(type, 4096));
        }
    }

    /**
     * A copy, which is the limit for what follows: a layer norm, the gradients of its input and of
     * its gain, each by itself and both with that of its bias in one kernel, as training has them.
     */
    private void norms(DType type, int rows) {
        var shape = Shape.of(rows, 1024);
        var t = new Type(type, shape);
        var column = Type.of(type, 1024);
        var own = View.contiguous(shape);
        measure("map copy " + t, Kernel.Map.of(shape, List.of(own), X), List.of(t), t);
        var gain = View.broadcast(Shape.of(1024), shape);
        // after x and gain, the numbers are arguments 2 to 5
        var off = X.sub(Scalar.arg(3));
        var numbers = moments(X, off, 2);
        var body = off.mul(Scalar.arg(5)).mul(Y);
        measure(
                "layer norm rows " + t,
                new Kernel.Rows(shape, 1, List.of(own, gain), numbers, new RowParts.Elements(body)),
                List.of(t, column),
                t);
        measure(
                "layer norm columns " + t,
                new Kernel.Rows(
                        shape,
                        1,
                        List.of(own, gain),
                        numbers,
                        new RowParts.Columns(Kernel.Combine.SUM, body)),
                List.of(t, column),
                column);
        // after x, gain and the gradient of the output, the numbers are arguments 3 to 10
        var from = X.sub(Scalar.arg(4));
        var rate = Scalar.arg(6);
        var g = Y.mul(Scalar.arg(2));
        var all = new ArrayList<>(moments(X, from, 3));
        all.add(new RowParts.Fold(Kernel.Combine.SUM, g));
        all.add(new RowParts.Fold(Kernel.Combine.SUM, g.mul(from)));
        all.add(new RowParts.Apply(Scalar.arg(7).div(lit(1024))));
        all.add(new RowParts.Apply(Scalar.arg(8).div(lit(1024)).mul(rate).mul(rate)));
        var back = g.sub(Scalar.arg(9)).sub(from.mul(Scalar.arg(10))).mul(rate);
        measure(
                "layer norm gradient rows " + t,
                new Kernel.Rows(
                        shape, 1, List.of(own, gain, own), all, new RowParts.Elements(back)),
                List.of(t, column, t),
                t);
        measure(
                "layer norm gradients " + t,
                new Kernel.Rows(
                        shape,
                        1,
                        List.of(own, gain, own),
                        all,
                        List.of(
                                new RowParts.Elements(back),
                                new RowParts.Columns(
                                        Kernel.Combine.SUM, Scalar.arg(2).mul(from).mul(rate)),
                                new RowParts.Columns(Kernel.Combine.SUM, Scalar.arg(2)))),
                List.of(t, column, t),
                List.of(t, column, column),
                3.0 * t.bytes() + 3.0 * column.bytes(),
                0,
                Precision.F32);
    }

    /**
     * The sum of rows of 1,024 elements {@code x}, their mean, the sum of the squares of {@code
     * off}, which is their distance from it, and the factor that gives them a variance of one.
     *
     * @param first the first number's argument
     */
    private static List<RowParts.RowValue> moments(Scalar x, Scalar off, int first) {
        return List.of(
                new RowParts.Fold(Kernel.Combine.SUM, x),
                new RowParts.Apply(Scalar.arg(first).div(lit(1024))),
                new RowParts.Fold(Kernel.Combine.SUM, off.mul(off)),
                new RowParts.Apply(
                        lit(1).div(Scalar.arg(first + 2).div(lit(1024)).add(lit(1e-5)).sqrt())));
    }

    private void moves() {
        var shape = Shape.of(16384, 1024);
        var data = Type.of(DType.F32, 16384, 1024);
        var index = Type.of(DType.I32, 16384);
        var by = new View(0, List.of(1L, 0L));
        var to = new View(0, List.of(0L, 1L));
        measure(
                "gather of rows",
                new Kernel.Gather(shape, to, by, 1024, 16384),
                List.of(data, index),
                new Type(DType.F32, shape));
        measure(
                "scatter of rows",
                new Kernel.Scatter(
                        Kernel.Write.ADD,
                        shape,
                        shape.size(),
                        to,
                        by,
                        View.contiguous(shape),
                        1024,
                        16384),
                List.of(index, data),
                data);
        measure(
                "cut in three",
                new Kernel.Cut(16384, List.of(1024, 1024, 1024), 1),
                List.of(Type.of(DType.F32, 16384, 3072)),
                List.of(data, data, data),
                6.0 * data.bytes(),
                0,
                Precision.F32);
    }

    private void product(int m, int n, int k, DType type, Precision precision, boolean turnA) {
        var a = turnA ? new View(0, List.of(1L, (long) m)) : new View(0, List.of((long) k, 1L));
        var kernel =
                new Kernel.Contract(
                        Shape.scalar(),
                        m,
                        n,
                        k,
                        a,
                        new View(0, List.of((long) n, 1L)),
                        List.of(),
                        X);
        measure(
                "product %s %s %dx%dx%d%s"
                        .formatted(type, precision, m, n, k, turnA ? " a turned" : ""),
                kernel,
                List.of(Type.of(type, m, k), Type.of(type, k, n)),
                List.of(Type.of(type, m, n)),
                type.bytes(1) * ((double) m * k + (double) k * n + (double) m * n),
                2.0 * m * n * k,
                precision);
    }

    private void products() {
        for (int[] s :
                new int[][] {
                    {16384, 3072, 1024},
                    {16384, 4096, 1024},
                    {16384, 1024, 4096},
                    {16384, 32768, 1024}
                }) {
            product(s[0], s[1], s[2], DType.BF16, Precision.F32, false);
            product(s[0], s[1], s[2], DType.F32, Precision.TF32, false);
        }
        product(1024, 4096, 16384, DType.BF16, Precision.F32, true);
        product(4096, 4096, 4096, DType.F32, Precision.F32, false);
        product(4096, 4096, 4096, DType.F64, Precision.F32, false);
        var plain =
                new Kernel.Contract(
                        Shape.scalar(),
                        4096,
                        4096,
                        4096,
                        new View(0, List.of(4096L, 1L)),
                        new View(0, List.of(0L, 1L)),
                        List.of(),
                        X);
        measure(
                "generated product f32 4096",
                plain,
                List.of(Type.of(DType.F32, 4096, 4096), Type.of(DType.F32, 4096)),
                List.of(Type.of(DType.F32, 4096, 4096)),
                0,
                2.0 * 4096 * 4096 * 4096,
                Precision.F32);
    }

    private void attention() {
        for (var h :
                List.of(
                        new AttentionShape(16, 16, 16, 1024, 1024, 64, 64, true, 0.125, List.of()),
                        new AttentionShape(2, 16, 16, 8192, 8192, 64, 64, true, 0.125, List.of()),
                        new AttentionShape(8, 16, 16, 2048, 2048, 128, 128, true, 0.088, List.of()),
                        new AttentionShape(
                                4, 8, 8, 2048, 2048, 256, 256, true, 0.0625, List.of()))) {
            attention(h, DType.BF16, Precision.F32);
            attention(h, DType.F32, Precision.TF32);
        }
        var h = new AttentionShape(16, 16, 16, 1024, 1024, 64, 64, true, 0.125, List.of());
        attention(h, DType.F32, Precision.F32);
    }

    private void attention(AttentionShape h, DType type, Precision precision) {
        double flops = 2.0 * h.batch() * h.heads() * h.queries() * h.keys() * h.width();
        var q = new Type(type, h.queryShape());
        var k = new Type(type, h.keyShape());
        var v = new Type(type, h.valueShape());
        var o = new Type(type, h.outShape());
        var l = Type.of(DType.F32, h.batch(), h.heads(), h.queries());
        var name =
                "%s %s %dx%dx%dx%d"
                        .formatted(type, precision, h.batch(), h.heads(), h.queries(), h.width());
        measure(
                "attend " + name,
                new Kernel.Attend(h),
                List.of(q, k, v),
                List.of(o, l),
                0,
                flops,
                precision);
        measure(
                "attend gradient " + name,
                new Kernel.AttendGrad(h),
                List.of(q, k, v, o, o, l),
                List.of(q, k, v),
                0,
                2.5 * flops,
                precision);
    }

    /** A hundred small launches, one by one and as a graph. */
    private void launches() {
        var t = Type.of(DType.F32, 1024);
        long a = random(t);
        long b = random(t);
        var one =
                run(
                        Kernel.Map.of(
                                t.shape(), List.of(View.contiguous(t.shape())), X.add(lit(1))),
                        List.of(a),
                        List.of(b),
                        List.of(t),
                        List.of(t),
                        Precision.F32);
        Runnable hundred =
                () -> {
                    for (int i = 0; i < 100; i++) one.run();
                };
        double plain = time(hundred);
        driver.beginCapture(card.stream());
        hundred.run();
        long graph = driver.endCapture(card.stream());
        long ready = driver.instantiate(graph);
        double replayed = time(() -> driver.launchGraph(ready, card.stream()));
        lines.add(
                "a small launch: %.2f us by itself, %.2f us in a graph"
                        .formatted(plain * 10, replayed * 10));
        lines.add("%d kernels compiled in %.1f s".formatted(card.kernels(), card.compileSeconds()));
        driver.destroyExecutable(ready);
        driver.destroyGraph(graph);
        made.forEach(driver::free);
        made.clear();
    }
}
