package dev.ebb.cuda;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/** Kernels of rows, with one result and with several. */
final class RowCases {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.F64, DType.BF16, DType.F16);
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);

    /** Elements and columns that need no numbers. */
    private static final List<RowParts.Result> PRODUCTS =
            List.of(
                    new RowParts.Elements(X.mul(Y)),
                    new RowParts.Columns(Kernel.Combine.SUM, X.mul(Y).mul(Scalar.arg(2))));

    private final CaseBuilder draft;

    RowCases(CaseBuilder draft) {
        this.draft = draft;
    }

    void add() {
        for (var type : FLOATS) {
            for (int width : new int[] {1, 7, 32, 33, 64, 200, 1024, 1030}) softmax(5, width, type);
        }
        softmax(2, 5000, DType.F32);
        softmax(2, 9000, DType.BF16);
        softmax(1, 20000, DType.F32);
        softmax(1, 16385, DType.BF16);
        for (int width : new int[] {5, 40, 256, 1027}) {
            norm(37, width, DType.F32);
            norm(16, width, DType.F64);
            norm(19, width, DType.BF16);
        }
        norm(600, 8, DType.F32);
        // several chunks of four strips, the last of them with few rows or none
        norm(150, 40, DType.F32);
        norm(70, 256, DType.BF16);
        norm(97, 64, DType.F64);
        norm(2100, 33, DType.F32);
        norm(40, 1024, DType.F64); // too wide for shared memory
        norm(18, 17000, DType.F32);
        norm(17, 20000, DType.BF16);
        softmax(2, 32768, DType.BF16);
        softmax(1, 70000, DType.BF16);
    }

    /** A softmax along rows, and its log of the sum alone. */
    private void softmax(int rows, int width, DType type) {
        var shape = Shape.of(rows, width);
        var e = X.sub(Y).exp();
        var most = new RowParts.Fold(Kernel.Combine.MAX, X);
        var sum = new RowParts.Fold(Kernel.Combine.SUM, e);
        var in = List.of(draft.calm(type, shape.size()));
        var views = List.of(View.contiguous(shape));
        draft.add(
                "rows elements",
                type + " softmax " + shape,
                new Kernel.Rows(
                        shape,
                        1,
                        views,
                        List.of(most, sum),
                        new RowParts.Elements(e.div(Scalar.arg(2)))),
                in,
                new Type(type, shape));
        var log = new RowParts.Apply(Scalar.arg(2).log().add(Y));
        draft.add(
                "rows last",
                type + " logsum " + shape,
                new Kernel.Rows(
                        shape, 1, views, List.of(most, sum, log), new RowParts.RowNumber(2)),
                in,
                Type.of(type, rows));
        draft.add(
                "rows joint",
                type + " softmax and its numbers " + shape,
                new Kernel.Rows(
                        shape,
                        1,
                        views,
                        List.of(most, sum),
                        List.of(
                                new RowParts.RowNumber(1),
                                new RowParts.Elements(e.div(Scalar.arg(2))),
                                new RowParts.RowNumber(0))),
                in,
                Type.of(DType.F32, rows),
                new Type(type, shape),
                Type.of(type, rows));
    }

    /** The mean of a row subtracted from it, times a factor per column, summed per column. */
    private void norm(int rows, int width, DType type) {
        if (width == 1) return;
        var shape = Shape.of(rows, width);
        var c = type.compute();
        var mean = new RowParts.Fold(Kernel.Combine.SUM, X.mul(new Scalar.Lit(c, 1.0 / width)));
        var off = X.sub(Scalar.arg(3));
        var square = new RowParts.Fold(Kernel.Combine.SUM, off.mul(off));
        var scale =
                new RowParts.Apply(
                        new Scalar.Lit(c, 1)
                                .div(
                                        Scalar.arg(4)
                                                .mul(new Scalar.Lit(c, 1.0 / width))
                                                .add(new Scalar.Lit(c, 1e-5))
                                                .sqrt())
                                .mul(Scalar.arg(2)));
        var result = off.mul(Scalar.arg(5)).mul(Y);
        var views =
                List.of(
                        View.contiguous(shape),
                        View.broadcast(Shape.of(width), shape),
                        View.broadcast(Shape.of(rows, 1), shape));
        var in =
                List.of(
                        draft.calm(type, shape.size()),
                        draft.calm(type, width),
                        draft.calm(type, rows));
        var numbers = List.<RowParts.RowValue>of(mean, square, scale);
        draft.add(
                "rows elements",
                type + " norm " + shape,
                new Kernel.Rows(shape, 1, views, numbers, new RowParts.Elements(result)),
                in,
                new Type(type, shape));
        draft.add(
                "rows columns",
                type + " columns " + shape,
                new Kernel.Rows(
                        shape, 1, views, numbers, new RowParts.Columns(Kernel.Combine.SUM, result)),
                in,
                Type.of(type, width));
        joint(new Kernel.Rows(shape, 1, views, numbers, new RowParts.Elements(result)), in, type);
        joint(new Kernel.Rows(shape, 1, views, List.of(), PRODUCTS), in, type);
    }

    /** The same rows with the sums of two columns, the mean and the largest of each column. */
    private void joint(Kernel.Rows k, List<Buffer> in, DType type) {
        int width = k.shape().dim(1);
        var results = new ArrayList<>(k.results());
        var types = new ArrayList<Type>();
        for (var result : results) types.add(type(result, k.shape(), type));
        results.add(new RowParts.Columns(Kernel.Combine.SUM, X));
        types.add(Type.of(type, width));
        if (!k.numbers().isEmpty()) {
            results.add(new RowParts.Columns(Kernel.Combine.SUM, X.sub(Scalar.arg(3)).mul(Y)));
            types.add(Type.of(type, width));
            results.add(new RowParts.RowNumber(0));
            types.add(Type.of(type, k.shape().dim(0)));
        }
        results.add(new RowParts.Columns(Kernel.Combine.MAX, X));
        types.add(Type.of(type, width));
        draft.add(
                "rows joint",
                type + " norm " + k.shape() + " " + k.numbers().size() + " numbers",
                new Kernel.Rows(k.shape(), 1, k.operands(), k.numbers(), results),
                in,
                types.toArray(Type[]::new));
    }

    private static Type type(RowParts.Result result, Shape shape, DType type) {
        return result instanceof RowParts.Elements
                ? new Type(type, shape)
                : Type.of(type, shape.dim(1));
    }
}
