package dev.ebb.cuda;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/** Moves, products and attention. */
final class MoreCases {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F64, DType.BF16, DType.F16);

    private final CaseBuilder draft;

    MoreCases(CaseBuilder draft) {
        this.draft = draft;
    }

    void moves() {
        for (var type : List.of(DType.F32, DType.F64, DType.BF16, DType.U8, DType.BOOL)) {
            assemble(type);
            for (var inner : List.of(1, 4, 6)) {
                draft.add(
                        "cut",
                        type + " inner " + inner,
                        new Kernel.Cut(3, List.of(2, 4, 1), inner),
                        List.of(draft.calm(type, 21L * inner)),
                        Type.of(type, 3, 2, inner),
                        Type.of(type, 3, 4, inner),
                        Type.of(type, 3, 1, inner));
            }
            index(type, 4, 3, 8);
            index(type, 9, 40, 5);
            index(type, 2, 60, 5);
            if (type == DType.BOOL) continue;
            for (boolean reverse : List.of(true, false)) {
                for (var combine : Kernel.Combine.values()) {
                    draft.add(
                            "cumulate",
                            type + " " + combine + reverse,
                            new Kernel.Cumulate(3, 11, 5, combine, reverse, false),
                            List.of(draft.calm(type, 165, 3)),
                            Type.of(type, 3, 11, 5));
                }
                if (!type.isFloat()) continue;
                draft.add(
                        "cumulate",
                        type + " weighted " + reverse,
                        new Kernel.Cumulate(3, 11, 5, Kernel.Combine.SUM, reverse, true),
                        List.of(draft.calm(type, 165, 3), draft.calm(type, 165, 3)),
                        Type.of(type, 3, 11, 5));
            }
        }
    }

    private void assemble(DType type) {
        var shape = Shape.of(6, 10);
        var parts =
                List.of(
                        new View.Part(Shape.of(2, 8), List.of(1, 1), List.of(1, 1)),
                        new View.Part(Shape.of(2, 3), List.of(2, 3), List.of(3, 2)));
        var in = List.of(draft.calm(type, 16), draft.calm(type, 6));
        for (double fill : new double[] {0, 1}) {
            draft.add(
                    "assemble",
                    type + " fill " + fill,
                    new Kernel.Assemble(shape, fill, parts),
                    in,
                    new Type(type, shape));
        }
        var padded = Shape.of(3, 5, 7);
        var box = new View.Part(Shape.of(3, 3, 4), List.of(0, 1, 2), List.of(1, 1, 1));
        draft.add(
                "assemble",
                type + " one box",
                new Kernel.Assemble(padded, 1, List.of(box)),
                List.of(draft.calm(type, 36)),
                new Type(type, padded));
        var tiles =
                List.of(
                        new View.Part(Shape.of(6, 4), List.of(0, 0), List.of(1, 1)),
                        new View.Part(Shape.of(6, 6), List.of(0, 4), List.of(1, 1)));
        draft.add(
                "assemble",
                type + " tiles",
                new Kernel.Assemble(shape, 0, tiles),
                List.of(draft.calm(type, 24), draft.calm(type, 36)),
                new Type(type, shape));
        var update = List.of(new View.Part(shape, List.of(0, 0), List.of(1, 1)), parts.getFirst());
        draft.add(
                "assemble",
                type + " update",
                new Kernel.Assemble(shape, 0, update),
                List.of(draft.calm(type, 60), draft.calm(type, 16)),
                new Type(type, shape));
    }

    /** Rows of a table by a list of indices, elements along an axis, and the ways back. */
    private void index(DType type, int bound, int picks, int inner) {
        for (var whole : List.of(DType.I32, DType.I64)) {
            var shape = Shape.of(picks, inner);
            var index = draft.calm(whole, picks, bound);
            var by = new View(0, List.of(1L, 0L));
            var data = new View(0, List.of(0L, 1L));
            draft.add(
                    "gather",
                    type + " rows by " + whole,
                    new Kernel.Gather(shape, data, by, inner, bound),
                    List.of(draft.calm(type, (long) bound * inner), index),
                    new Type(type, shape));
            var each = draft.calm(whole, (long) picks * inner, bound);
            var own = View.contiguous(shape);
            draft.add(
                    "gather",
                    type + " elements by " + whole,
                    new Kernel.Gather(shape, data, own, inner, bound),
                    List.of(draft.calm(type, (long) bound * inner), each),
                    new Type(type, shape));
            long size = (long) bound * inner;
            for (var write : Kernel.Write.values()) {
                if (write == Kernel.Write.ADD || type.isTruth() && write != Kernel.Write.SET)
                    continue;
                draft.add(
                        "scatter " + write,
                        type + " rows by " + whole,
                        new Kernel.Scatter(write, shape, size, data, by, own, inner, bound),
                        List.of(draft.calm(type, size), index, draft.calm(type, shape.size())),
                        Type.of(type, bound, inner));
                draft.add(
                        "scatter " + write,
                        type + " elements by " + whole,
                        new Kernel.Scatter(write, shape, size, data, own, own, inner, bound),
                        List.of(draft.calm(type, size), each, draft.calm(type, shape.size())),
                        Type.of(type, bound, inner));
            }
            if (type.isTruth()) continue;
            draft.add(
                    "scatter",
                    type + " rows by " + whole,
                    new Kernel.Scatter(Kernel.Write.ADD, shape, size, data, by, own, inner, bound),
                    List.of(index, draft.calm(type, shape.size())),
                    Type.of(type, bound, inner));
            draft.add(
                    "scatter",
                    type + " elements by " + whole,
                    new Kernel.Scatter(Kernel.Write.ADD, shape, size, data, own, own, inner, bound),
                    List.of(each, draft.calm(type, shape.size())),
                    Type.of(type, bound, inner));
            var flat = Shape.of(picks);
            draft.add(
                    "scatter",
                    type + " scalars by " + whole,
                    new Kernel.Scatter(
                            Kernel.Write.ADD,
                            flat,
                            bound,
                            new View(0, List.of(0L)),
                            View.contiguous(flat),
                            View.contiguous(flat),
                            1,
                            bound),
                    List.of(index, draft.calm(type, picks)),
                    Type.of(type, bound));
        }
    }

    void sorts() {
        for (var type : DType.values()) {
            if (type == DType.BIT) continue;
            for (int length : new int[] {1, 9, 300}) {
                draft.add(
                        "sort",
                        type + " of " + length,
                        new Kernel.Sort(2, length, 3, length == 9),
                        List.of(draft.mixed(type, 6L * length)),
                        Type.of(DType.I64, 2, length, 3));
            }
        }
    }

    void products() {
        // one factor turned, then the other, then a long one
        product(Shape.scalar(), 1030, 40, 36, DType.F32, true, false, DType.F32);
        product(Shape.scalar(), 40, 1030, 36, DType.F32, true, false, DType.F32);
        product(Shape.scalar(), 8200, 16, 20, DType.F32, false, false, DType.F32);
        for (var type : FLOATS) {
            product(Shape.scalar(), 5, 7, 3, type, false, false, type);
            product(Shape.scalar(), 65, 70, 33, type, true, false, type);
            product(Shape.of(3), 16, 8, 20, type, false, true, type);
            product(Shape.of(2, 3), 9, 10, 11, type, true, true, type);
            product(Shape.scalar(), 64, 64, 0, type, false, false, type);
            product(Shape.scalar(), 128, 136, 96, type, false, false, type);
            product(Shape.scalar(), 128, 136, 96, type, true, true, type);
            product(Shape.of(4), 64, 48, 40, type, false, true, type);
        }
        product(Shape.scalar(), 40, 48, 56, DType.BF16, false, false, DType.F32);
        product(Shape.scalar(), 40, 48, 56, DType.F32, false, false, DType.BF16);
        product(Shape.of(2), 12, 9, 5, DType.F32, false, false, DType.BIT);
        product(Shape.scalar(), 12, 9, 5, DType.I32, false, false, DType.I32);
    }

    private static View turned(Shape batch, int rows, int columns, boolean turn) {
        var dims = new ArrayList<>(batch.dims());
        dims.add(turn ? columns : rows);
        dims.add(turn ? rows : columns);
        var strides = new ArrayList<>(View.contiguous(new Shape(dims)).strides());
        if (turn) {
            int r = strides.size();
            var last = strides.remove(r - 1);
            strides.add(r - 2, last);
        }
        return new View(0, strides);
    }

    private void product(
            Shape batch, int m, int n, int k, DType type, boolean ta, boolean tb, DType out) {
        var dims = new ArrayList<>(batch.dims());
        dims.add(m);
        dims.add(n);
        var shape = new Shape(dims);
        var a = turned(batch, m, k, ta);
        var b = turned(batch, k, n, tb);
        long count = batch.size();
        var left = draft.calm(type, count * m * k);
        var right = draft.calm(type, count * k * n);
        var name =
                type + " " + shape + " by " + k + (ta ? " a turned" : "") + (tb ? " b turned" : "");
        if (out != DType.BIT) {
            draft.add(
                    "contract",
                    name + " to " + out,
                    new Kernel.Contract(batch, m, n, k, a, b, List.of(), Scalar.arg(0)),
                    List.of(left, right),
                    new Type(out, shape));
        }
        if (!type.isFloat()) return;
        var bias = View.broadcast(Shape.of(n), shape);
        var more = View.contiguous(shape);
        var y = Scalar.arg(0).add(Scalar.arg(1));
        if (out == type) {
            var sum = type.compute() == type ? Scalar.arg(0) : new Scalar.Cast(type, Scalar.arg(0));
            draft.add(
                    "contract bias",
                    name,
                    new Kernel.Contract(
                            batch, m, n, k, a, b, List.of(bias), sum.add(Scalar.arg(1))),
                    List.of(left, right, draft.calm(type, n)),
                    new Type(out, shape));
        }
        var body = out == DType.BIT ? y.lt(Scalar.arg(2)) : y.tanh().add(Scalar.arg(2));
        draft.add(
                "contract epilogue",
                name + " to " + out,
                new Kernel.Contract(batch, m, n, k, a, b, List.of(bias, more), body),
                List.of(left, right, draft.calm(type, n), draft.calm(type, shape.size())),
                new Type(out, shape));
    }

    void attention() {
        for (var type : FLOATS) {
            attend(new AttentionShape(2, 2, 2, 5, 7, 8, 8, false, 0.3, List.of()), type);
            attend(new AttentionShape(1, 4, 2, 40, 40, 16, 16, true, 0.25, List.of()), type);
            attend(new AttentionShape(1, 2, 1, 9, 70, 32, 40, true, 0.2, List.of()), type);
            attend(new AttentionShape(1, 2, 2, 12, 9, 8, 4, true, 0.4, List.of()), type);
            var masked = new AttentionShape(2, 2, 2, 33, 35, 64, 64, false, 0.125, List.of());
            attend(
                    masked.withMask(
                            List.of(View.broadcast(Shape.of(2, 1, 33, 35), masked.scoreShape()))),
                    type);
        }
        attend(new AttentionShape(1, 2, 1, 150, 200, 32, 16, true, 0.2, List.of()), DType.BF16);
        attend(new AttentionShape(1, 2, 1, 70, 80, 64, 64, true, 0.125, List.of()), DType.BF16);
        attend(new AttentionShape(1, 1, 1, 9, 70, 128, 64, false, -0.1, List.of()), DType.F16);
        attend(new AttentionShape(1, 1, 1, 130, 130, 32, 32, true, 0.2, List.of()), DType.F32);
        attend(new AttentionShape(1, 1, 1, 70, 70, 128, 128, true, 0.09, List.of()), DType.F32);
        attend(new AttentionShape(1, 1, 1, 10, 20, 256, 256, false, 0.06, List.of()), DType.F32);
        attend(new AttentionShape(1, 1, 1, 40, 90, 256, 256, true, 0.06, List.of()), DType.BF16);
        attend(new AttentionShape(1, 1, 1, 70, 40, 40, 72, false, 0.15, List.of()), DType.F16);
        attend(new AttentionShape(1, 2, 1, 9, 12, 300, 290, true, 0.05, List.of()), DType.F64);
        attend(new AttentionShape(1, 2, 1, 90, 60, 64, 64, true, 0.125, List.of()), DType.F32);
    }

    private void attend(AttentionShape h, DType type) {
        var q = draft.calm(type, h.queryShape().size());
        var k = draft.calm(type, h.keyShape().size());
        var v = draft.calm(type, h.valueShape().size());
        var in = new ArrayList<>(List.of(q, k, v));
        for (var mask : h.mask()) {
            var m = draft.along(type, h.scoreShape(), mask);
            for (long i = 0; i < m.size(); i++) {
                if (draft.random.nextInt(4) == 0) m.set(i, Double.NEGATIVE_INFINITY);
            }
            in.add(m);
        }
        var logsum = Type.of(type.compute(), h.batch(), h.heads(), h.queries());
        var out = new Type(type, h.outShape());
        var forward =
                new Case(
                        "attend",
                        type + " " + h,
                        new Kernel.Attend(h),
                        in,
                        List.of(out, logsum),
                        CaseBuilder.tolerance(type));
        draft.cases.add(forward);
        var results = forward.expected();
        var rest = new ArrayList<Buffer>(in);
        rest.add(results.get(0));
        rest.add(draft.calm(type, h.outShape().size()));
        rest.add(results.get(1));
        draft.add(
                "attend gradient",
                type + " " + h,
                new Kernel.AttendGrad(h),
                rest,
                new Type(type, h.queryShape()),
                new Type(type, h.keyShape()),
                new Type(type, h.valueShape()));
    }
}
