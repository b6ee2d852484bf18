package dev.ebb.cuda;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/** Every elementwise form, over functions, types, views and awkward sizes. */
final class Cases {
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);
    private static final List<DType> COMPUTED =
            List.of(DType.F32, DType.F64, DType.I32, DType.I64, DType.BOOL);
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F64, DType.BF16, DType.F16);

    private final CaseBuilder draft = new CaseBuilder();

    static List<Case> all() {
        var cases = new Cases();
        cases.functions();
        cases.casts();
        cases.views();
        cases.folds();
        cases.jointFolds();
        new RowCases(cases.draft).add();
        var rest = new MoreCases(cases.draft);
        rest.moves();
        rest.sorts();
        rest.products();
        new ConvolveCases(cases.draft).convolutions();
        rest.attention();
        return cases.draft.cases;
    }

    private static boolean fits(Scalar body, DType... args) {
        try {
            body.type(List.of(args));
            return true;
        } catch (ShapeException e) {
            return false;
        }
    }

    private void map(
            String form, String name, Shape shape, Scalar body, List<Buffer> in, DType out) {
        var views = in.stream().map(_ -> View.contiguous(shape)).toList();
        draft.add(form, name, Kernel.Map.of(shape, views, body), in, new Type(out, shape));
    }

    private void functions() {
        int n = 257;
        var shape = Shape.of(n);
        for (var type : COMPUTED) {
            for (var fn : Fn1.values()) {
                var body = X.apply(fn);
                if (!fits(body, type)) continue;
                var in = List.of(draft.mixed(type, n));
                map("map fn1", fn + " " + type, shape, body, in, body.type(List.of(type)));
            }
            for (var fn : Fn2.values()) {
                var body = X.apply(fn, Y);
                if (!fits(body, type, type)) continue;
                var x = draft.mixed(type, n);
                var y = draft.mixed(type, n);
                // an integer divided by zero stops a run
                if (!type.isFloat() && (fn == Fn2.DIV || fn == Fn2.REM)) {
                    for (int i = 0; i < n; i++) if (y.getLong(i) == 0) y.setLong(i, 3);
                }
                if (fn == Fn2.POLYGAMMA) {
                    for (int i = 0; i < n; i++) {
                        x.set(i, i % 4);
                        y.set(i, draft.random.nextDouble(0.5, 9));
                    }
                }
                map(
                        "map fn2",
                        fn + " " + type,
                        shape,
                        body,
                        List.of(x, y),
                        body.type(List.of(type, type)));
            }
        }
        var draw =
                new Scalar.Draw(new Scalar.Lit(DType.I64, 0x1234567890abL), new Scalar.Position());
        map("map", "draw", Shape.of(1001), draw, List.of(), DType.I32);
        var keyed = new Scalar.Draw(X, Y);
        map(
                "map",
                "draw of keys",
                shape,
                keyed,
                List.of(draft.mixed(DType.I64, n), draft.mixed(DType.I64, n)),
                DType.I32);
    }

    private void casts() {
        int n = 131;
        for (var from : DType.values()) {
            for (var to : DType.values()) {
                var in = draft.mixed(from, n);
                map("map cast", from + " to " + to, Shape.of(n), X.cast(to), List.of(in), to);
            }
        }
    }

    private void views() {
        for (var type : List.of(DType.F32, DType.F64, DType.BF16, DType.U8, DType.BIT)) {
            for (var out : List.of(type, DType.BIT)) {
                for (var shape :
                        List.of(
                                Shape.of(8, 16),
                                Shape.of(5, 7),
                                Shape.of(3, 4, 6),
                                Shape.of(1),
                                Shape.scalar(),
                                Shape.of(2, 1, 13))) {
                    spread(shape, type, out);
                }
            }
        }
        var shape = Shape.of(6, 20);
        var a = draft.calm(DType.F32, 120);
        var b = draft.calm(DType.F32, 20);
        var m = draft.calm(DType.BOOL, 120);
        var bodies = List.of(X.add(Y), new Scalar.Select(Scalar.arg(2), X, Y), X.lt(Y));
        var own = View.contiguous(shape);
        var views = List.of(own, View.broadcast(Shape.of(20), shape), own);
        draft.add(
                "map",
                "three outputs",
                new Kernel.Map(shape, views, bodies),
                List.of(a, b, m),
                new Type(DType.F32, shape),
                new Type(DType.BF16, shape),
                new Type(DType.BIT, shape));
        var places =
                new Scalar.Index(0)
                        .cast(DType.I64)
                        .add(new Scalar.Index(1).cast(DType.I64))
                        .add(new Scalar.Position());
        map("map", "indices", shape, places, List.of(), DType.I64);
    }

    private void spread(Shape shape, DType type, DType out) {
        int r = shape.rank();
        var own = View.contiguous(shape);
        var backwards = new ArrayList<>(own.strides());
        long last = 0;
        if (r > 0) {
            last = own.stride(0) * (shape.dim(0) - 1);
            backwards.set(0, -own.stride(0));
        }
        var turned = View.contiguous(new Shape(shape.dims().reversed())).strides().reversed();
        for (var view :
                List.of(
                        own,
                        new View(last, backwards),
                        new View(3, own.strides()),
                        new View(0, turned),
                        new View(4, own.strides().stream().map(s -> 2 * s).toList()),
                        View.broadcast(Shape.scalar(), shape))) {
            long size = Math.max(CaseBuilder.reach(shape, view), last + 1);
            var in = List.of(draft.calm(type, size), draft.calm(type, shape.size()));
            var body = type.isTruth() ? X.apply(Fn2.XOR, Y) : out == DType.BIT ? X.lt(Y) : X.add(Y);
            draft.add(
                    "map views",
                    type + " to " + out + " " + shape + view,
                    Kernel.Map.of(shape, List.of(view, own), body),
                    in,
                    new Type(out, shape));
        }
    }

    private void fold(Shape shape, List<Integer> axes, Kernel.Combine combine, DType type) {
        var view = View.contiguous(shape);
        var in = draft.calm(type, shape.size(), 3);
        var out = shape.reduce(axes, false);
        var body = X;
        draft.add(
                "fold",
                combine + " " + type + " " + shape + axes,
                new Kernel.Fold(shape, axes, combine, List.of(view), body),
                List.of(in),
                new Type(type == DType.BIT ? DType.BOOL : type, out));
    }

    private void folds() {
        for (var type :
                List.of(DType.F32, DType.F64, DType.BF16, DType.I32, DType.I64, DType.BOOL)) {
            for (var combine : Kernel.Combine.values()) {
                if (type == DType.BOOL && combine.ordinal() < 2) continue;
                fold(Shape.of(7, 5), List.of(1), combine, type);
                fold(Shape.of(7, 5), List.of(0), combine, type);
                fold(Shape.of(3, 100), List.of(1), combine, type);
                fold(Shape.of(6, 300), List.of(0, 1), combine, type);
            }
        }
        for (var type : List.of(DType.F32, DType.BF16)) {
            for (var shape :
                    List.of(
                            Shape.of(3, 1025),
                            Shape.of(2, 5000),
                            Shape.of(2, 16500),
                            Shape.of(1, 40000),
                            Shape.of(100, 9),
                            Shape.of(1000, 33),
                            Shape.of(0, 4))) {
                fold(shape, List.of(1), Kernel.Combine.SUM, type);
                fold(shape, List.of(0), Kernel.Combine.SUM, type);
            }
            // more than 64 segments: their results are folded as a row
            fold(Shape.of(1_100_000), List.of(0), Kernel.Combine.SUM, type);
            fold(Shape.of(2, 1_060_000), List.of(1), Kernel.Combine.MAX, type);
            fold(Shape.of(4, 3, 5, 6), List.of(0, 2, 3), Kernel.Combine.SUM, type);
            fold(Shape.of(4, 3, 6, 6), List.of(0, 2, 3), Kernel.Combine.SUM, type);
            fold(Shape.of(4, 3, 5, 6), List.of(1), Kernel.Combine.MAX, type);
            fold(Shape.of(4, 3, 5, 6), List.of(1, 3), Kernel.Combine.MIN, type);
        }
        var shape = Shape.of(6, 70);
        var view = View.broadcast(Shape.of(6, 1), shape);
        var body =
                X.mul(Y)
                        .add(new Scalar.Index(1).cast(DType.F32))
                        .add(new Scalar.Position().cast(DType.F32));
        draft.add(
                "fold",
                "of an expression",
                new Kernel.Fold(
                        shape,
                        List.of(1),
                        Kernel.Combine.SUM,
                        List.of(View.contiguous(shape), view),
                        body),
                List.of(draft.calm(DType.F32, 420), draft.calm(DType.F32, 6)),
                Type.of(DType.F32, 6));
        draft.add(
                "fold",
                "of an expression, columns",
                new Kernel.Fold(
                        shape,
                        List.of(0),
                        Kernel.Combine.SUM,
                        List.of(View.contiguous(shape), view),
                        body),
                List.of(draft.calm(DType.F32, 420), draft.calm(DType.F32, 6)),
                Type.of(DType.F32, 70));
    }

    /** Two and three sums over the same elements. */
    private void jointFolds() {
        for (var shape :
                List.of(
                        Shape.of(4, 3, 6, 6),
                        Shape.of(4, 3, 5, 7),
                        Shape.of(5, 2, 100, 100),
                        Shape.of(3, 40, 20, 1),
                        Shape.of(1, 1, 1100, 1000),
                        Shape.of(0, 4, 3, 1)))
            for (var axes : List.of(List.of(0, 2, 3), List.of(0, 2), List.of(1)))
                for (var type : List.of(DType.F32, DType.BF16, DType.F64))
                    jointFold(shape, axes, type);
    }

    private void jointFold(Shape shape, List<Integer> axes, DType type) {
        var own = View.contiguous(shape);
        var mean = Shape.of(1, shape.dim(1), 1, 1);
        var out = new Type(type, shape.reduce(axes, false));
        var off = Y.sub(Scalar.arg(2));
        draft.add(
                "folds",
                type + " " + shape + axes,
                new Kernel.Fold(
                        shape,
                        axes,
                        Kernel.Combine.SUM,
                        List.of(own, own, View.broadcast(mean, shape)),
                        List.of(X, off.mul(X), off.mul(off))),
                List.of(
                        draft.calm(type, shape.size()),
                        draft.calm(type, shape.size()),
                        draft.calm(type, mean.size())),
                out,
                out,
                out);
    }
}
