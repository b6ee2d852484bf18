package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.Recipes;
import dev.ebb.cuda.text.attend.AttendGradText;
import dev.ebb.cuda.text.attend.AttendText;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One or two kernels of every form, whose text is kept in files. */
final class Golden {
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);
    private static final DType F32 = DType.F32;
    private static final DType BF16 = DType.BF16;

    private Golden() {}

    static Map<String, Recipe> recipes() {
        var all = new LinkedHashMap<String, Recipe>();
        var shape = Shape.of(6, 20);
        var own = View.contiguous(shape);
        var row = View.broadcast(Shape.of(20), shape);
        put(
                all,
                "map",
                Kernel.Map.of(shape, List.of(own, row), X.add(Y).tanh()),
                List.of(F32, BF16),
                F32);
        put(
                all,
                "map-tail",
                Kernel.Map.of(Shape.of(101), List.of(View.contiguous(Shape.of(101))), X.exp()),
                List.of(F32),
                F32);
        var windows = Shape.of(4, 6);
        put(
                all,
                "map-windows",
                Kernel.Map.of(
                        windows,
                        List.of(new View(0, List.of(16L, 2L)), new View(1, List.of(16L, 2L))),
                        X.add(Y)),
                List.of(F32, F32),
                F32);
        put(
                all,
                "map-transposed",
                Kernel.Map.of(Shape.of(5, 7), List.of(new View(0, List.of(1L, 5L))), X.neg()),
                List.of(F32),
                F32);
        put(
                all,
                "map-bits",
                new Kernel.Map(
                        shape,
                        List.of(own, own),
                        List.of(X.lt(Y), new Scalar.Select(X.lt(Y), X, Y))),
                List.of(F32, F32),
                DType.BIT,
                BF16);
        var draw = new Scalar.Draw(new Scalar.Lit(DType.I64, 7), new Scalar.Position());
        put(
                all,
                "map-dropout",
                Kernel.Map.of(
                        shape,
                        List.of(own),
                        draw.lt(new Scalar.Lit(DType.I32, 0)).select(X, new Scalar.Lit(F32, 0))),
                List.of(F32),
                F32);
        put(
                all,
                "fold-rows",
                new Kernel.Fold(
                        Shape.of(3, 1024),
                        List.of(1),
                        Kernel.Combine.SUM,
                        List.of(View.contiguous(Shape.of(3, 1024))),
                        X.mul(X)),
                List.of(F32),
                F32);
        put(
                all,
                "fold-segments",
                new Kernel.Fold(
                        Shape.of(2, 50000),
                        List.of(1),
                        Kernel.Combine.MAX,
                        List.of(View.contiguous(Shape.of(2, 50000))),
                        X),
                List.of(BF16),
                BF16);
        put(
                all,
                "fold-many-segments",
                new Kernel.Fold(
                        Shape.of(2_000_000),
                        List.of(0),
                        Kernel.Combine.SUM,
                        List.of(View.contiguous(Shape.of(2_000_000))),
                        X.mul(X)),
                List.of(BF16),
                BF16);
        put(
                all,
                "fold-columns",
                new Kernel.Fold(
                        Shape.of(100, 24),
                        List.of(0),
                        Kernel.Combine.SUM,
                        List.of(View.contiguous(Shape.of(100, 24))),
                        X),
                List.of(F32),
                F32);
        var spatial = Shape.of(2, 3, 96, 96);
        put(
                all,
                "fold-segments-of-two",
                new Kernel.Fold(
                        spatial,
                        List.of(0, 2, 3),
                        Kernel.Combine.SUM,
                        List.of(
                                View.contiguous(spatial),
                                View.contiguous(spatial),
                                View.broadcast(Shape.of(1, 3, 1, 1), spatial)),
                        List.of(X.cast(F32), Y.cast(F32).sub(Scalar.arg(2)).mul(X.cast(F32)))),
                List.of(BF16, BF16, F32),
                F32,
                F32);
        rows(all);
        moves(all);
        products(all);
        var h = new AttentionShape(2, 4, 2, 33, 40, 32, 32, true, 0.25, List.of());
        var wide = new AttentionShape(2, 4, 2, 33, 40, 64, 64, true, 0.25, List.of());
        put(all, "attend-groups", new Kernel.Attend(wide), List.of(BF16, BF16, BF16), BF16, F32);
        put(
                all,
                "attend-gradient-groups",
                new Kernel.AttendGrad(wide),
                List.of(BF16, BF16, BF16, BF16, BF16, F32),
                BF16,
                BF16,
                BF16);
        put(all, "attend-tensor", new Kernel.Attend(h), List.of(BF16, BF16, BF16), BF16, F32);
        all.put(
                "attend",
                AttendText.forward(
                        new Kernel.Attend(h), List.of(BF16, BF16, BF16), List.of(BF16, F32)));
        var masked = h.withMask(List.of(View.broadcast(Shape.of(33, 40), h.scoreShape())));
        put(all, "attend-masked", new Kernel.Attend(masked), List.of(F32, F32, F32, F32), F32, F32);
        var six = List.of(BF16, BF16, BF16, BF16, BF16, F32);
        put(all, "attend-gradient-tensor", new Kernel.AttendGrad(h), six, BF16, BF16, BF16);
        all.put(
                "attend-gradient",
                AttendGradText.backward(new Kernel.AttendGrad(h), six, List.of(BF16, BF16, BF16)));
        return all;
    }

    private static void put(
            Map<String, Recipe> all, String name, Kernel kernel, List<DType> in, DType... out) {
        all.put(name, Recipes.of(kernel, in, List.of(out), Precision.TF32).orElseThrow());
    }

    private static void rows(Map<String, Recipe> all) {
        for (int width : new int[] {20, 1024, 40000}) {
            var shape = Shape.of(64, width);
            var views = List.of(View.contiguous(shape));
            var most = new RowParts.Fold(Kernel.Combine.MAX, X);
            var sum = new RowParts.Fold(Kernel.Combine.SUM, X.sub(Y).exp());
            var log = new RowParts.Apply(Scalar.arg(2).log().add(Y));
            put(
                    all,
                    "rows-elements-" + width,
                    new Kernel.Rows(
                            shape,
                            1,
                            views,
                            List.of(most, sum),
                            new RowParts.Elements(X.sub(Y).exp().div(Scalar.arg(2)))),
                    List.of(BF16),
                    BF16);
            put(
                    all,
                    "rows-last-" + width,
                    new Kernel.Rows(
                            shape, 1, views, List.of(most, sum, log), new RowParts.RowNumber(2)),
                    List.of(F32),
                    F32);
            put(
                    all,
                    "rows-joint-" + width,
                    new Kernel.Rows(
                            shape,
                            1,
                            views,
                            List.of(most, sum),
                            List.of(
                                    new RowParts.RowNumber(1),
                                    new RowParts.Columns(Kernel.Combine.SUM, X.sub(Y)),
                                    new RowParts.Elements(X.sub(Y).exp()))),
                    List.of(BF16),
                    F32,
                    F32,
                    BF16);
            put(
                    all,
                    "rows-columns-" + width,
                    new Kernel.Rows(
                            shape,
                            1,
                            views,
                            List.of(most),
                            new RowParts.Columns(Kernel.Combine.SUM, X.sub(Y))),
                    List.of(F32),
                    F32);
        }
    }

    private static void moves(Map<String, Recipe> all) {
        var shape = Shape.of(6, 10);
        put(
                all,
                "assemble",
                new Kernel.Assemble(
                        shape,
                        1,
                        List.of(new View.Part(Shape.of(2, 8), List.of(1, 1), List.of(1, 1)))),
                List.of(F32),
                F32);
        put(
                all,
                "assemble-parts",
                new Kernel.Assemble(
                        shape,
                        1,
                        List.of(
                                new View.Part(Shape.of(2, 8), List.of(1, 1), List.of(1, 1)),
                                new View.Part(Shape.of(2, 3), List.of(2, 3), List.of(3, 2)))),
                List.of(F32, F32),
                F32);
        put(
                all,
                "assemble-update",
                new Kernel.Assemble(
                        shape,
                        0,
                        List.of(
                                new View.Part(shape, List.of(0, 0), List.of(1, 1)),
                                new View.Part(Shape.of(2, 3), List.of(2, 3), List.of(3, 2)))),
                List.of(F32, F32),
                F32);
        put(all, "cut", new Kernel.Cut(3, List.of(8, 16), 1), List.of(BF16), BF16, BF16);
        var picked = Shape.of(40, 8);
        var by = new View(0, List.of(1L, 0L));
        var data = new View(0, List.of(0L, 1L));
        put(all, "gather", new Kernel.Gather(picked, data, by, 8, 9), List.of(F32, DType.I32), F32);
        put(
                all,
                "scatter-rows",
                new Kernel.Scatter(
                        Kernel.Write.ADD, picked, 72, data, by, View.contiguous(picked), 8, 9),
                List.of(DType.I32, F32),
                F32);
        var each = View.contiguous(picked);
        put(
                all,
                "scatter-elements",
                new Kernel.Scatter(Kernel.Write.ADD, picked, 72, data, each, each, 8, 9),
                List.of(DType.I64, BF16),
                BF16);
        put(
                all,
                "scatter-over",
                new Kernel.Scatter(Kernel.Write.SET, picked, 72, data, by, each, 8, 9),
                List.of(F32, DType.I32, F32),
                F32);
        put(
                all,
                "scatter-over-largest",
                new Kernel.Scatter(Kernel.Write.MAX, picked, 72, data, each, each, 8, 9),
                List.of(BF16, DType.I64, BF16),
                BF16);
        put(all, "sort", new Kernel.Sort(2, 9, 3, true), List.of(F32), DType.I64);
        put(
                all,
                "cumulate",
                new Kernel.Cumulate(3, 11, 5, Kernel.Combine.SUM, true, false),
                List.of(F32),
                F32);
    }

    private static void products(Map<String, Recipe> all) {
        var y = X.add(Y);
        put(
                all,
                "contract",
                new Kernel.Contract(
                        Shape.of(2),
                        9,
                        10,
                        11,
                        new View(0, List.of(99L, 11L, 1L)),
                        new View(0, List.of(110L, 10L, 1L)),
                        List.of(new View(0, List.of(0L, 0L, 1L))),
                        y),
                List.of(F32, F32, F32),
                F32);
        put(
                all,
                "contract-library",
                new Kernel.Contract(
                        Shape.scalar(),
                        128,
                        256,
                        64,
                        new View(0, List.of(1L, 128L)),
                        new View(0, List.of(256L, 1L)),
                        List.of(),
                        X),
                List.of(BF16, BF16),
                BF16);
        put(
                all,
                "contract-library-turned",
                new Kernel.Contract(
                        Shape.scalar(),
                        128,
                        1024,
                        64,
                        new View(0, List.of(1L, 128L)),
                        new View(0, List.of(1024L, 1L)),
                        List.of(),
                        X),
                List.of(F32, F32),
                F32);
        put(
                all,
                "contract-library-bias",
                new Kernel.Contract(
                        Shape.of(2),
                        128,
                        256,
                        64,
                        new View(0, List.of(8192L, 64L, 1L)),
                        new View(0, List.of(0L, 256L, 1L)),
                        List.of(new View(0, List.of(0L, 0L, 1L))),
                        new Scalar.Cast(BF16, X).add(Y)),
                List.of(BF16, BF16, BF16),
                BF16);
        put(
                all,
                "contract-library-epilogue",
                new Kernel.Contract(
                        Shape.scalar(),
                        128,
                        256,
                        64,
                        new View(0, List.of(64L, 1L)),
                        new View(0, List.of(256L, 1L)),
                        List.of(new View(0, List.of(0L, 1L))),
                        y.tanh()),
                List.of(F32, F32, F32),
                BF16);
        GoldenConvolutions.add(all);
    }
}
