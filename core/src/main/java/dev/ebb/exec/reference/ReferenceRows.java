package dev.ebb.exec.reference;

import dev.ebb.exec.reference.ReferenceScalar.Element;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.List;

/** {@link Kernel.Rows}: one pass over all elements for each number, and one for each result. */
final class ReferenceRows {
    private final Kernel.Rows k;
    private final List<Buffer> in;
    private final List<DType> types;
    private final int rows;
    private final long width;

    /** One list for each row: its numbers so far. */
    private final List<List<Element>> numbers = new ArrayList<>();

    ReferenceRows(Kernel.Rows k, List<Buffer> in) {
        this.k = k;
        this.in = in;
        types = k.types(in.stream().map(Buffer::dtype).toList());
        rows = Math.toIntExact(k.outer().size());
        width = k.width();
    }

    void run(List<Buffer> out) {
        numbers.clear();
        for (int r = 0; r < rows; r++) numbers.add(new ArrayList<>());
        for (int i = 0; i < k.numbers().size(); i++) {
            var type = types.get(in.size() + i);
            switch (k.numbers().get(i)) {
                case RowParts.Fold(var combine, var body) -> fold(combine, body, type);
                case RowParts.Apply(var body) -> apply(body);
            }
        }
        // a result with elements comes last: it may overwrite an operand
        for (int i = 0; i < out.size(); i++)
            if (!(k.results().get(i) instanceof RowParts.Elements)) result(i, out.get(i));
        for (int i = 0; i < out.size(); i++)
            if (k.results().get(i) instanceof RowParts.Elements) result(i, out.get(i));
    }

    private void result(int i, Buffer out) {
        switch (k.results().get(i)) {
            case RowParts.Elements(var body) ->
                    visit((row, walk, eval) -> eval.value(body).into(out, walk.position));
            case RowParts.RowNumber(int index) -> {
                for (int r = 0; r < rows; r++) numbers.get(r).get(index).into(out, r);
            }
            case RowParts.Columns(var combine, var body) -> columns(combine, body, out);
        }
    }

    /** Processes an element when the numbers of its row are known. */
    @FunctionalInterface
    private interface Visit {
        void at(int row, IndexWalk walk, ReferenceScalar eval);
    }

    private void visit(Visit visit) {
        var walk = new IndexWalk(k.shape(), k.operands());
        var eval = new ReferenceScalar(in, walk);
        for (; walk.inside(); walk.next()) {
            int row = (int) (walk.position / width);
            if (walk.position % width == 0) eval.numbers(numbers.get(row));
            visit.at(row, walk, eval);
        }
    }

    private void fold(Kernel.Combine combine, Scalar body, DType type) {
        var values = new double[rows];
        double identity = ReferenceLoops.identity(combine, type).real();
        for (int r = 0; r < rows; r++) values[r] = identity;
        var blocks = values.clone();
        visit(
                (row, walk, eval) -> {
                    blocks[row] =
                            ReferenceLoops.combine(combine, blocks[row], eval.value(body).real());
                    long at = walk.position % width + 1;
                    if (at % ReferenceLoops.BLOCK != 0 && at != width) return;
                    values[row] = ReferenceLoops.combine(combine, values[row], blocks[row]);
                    blocks[row] = identity;
                });
        for (int r = 0; r < rows; r++) numbers.get(r).add(Element.of(type, values[r]));
    }

    private void apply(Scalar body) {
        var values = new ArrayList<Element>();
        visit(
                (_, walk, eval) -> {
                    if (walk.position % width == 0) values.add(eval.value(body));
                });
        for (int r = 0; r < rows; r++) numbers.get(r).add(values.get(r));
    }

    private void columns(Kernel.Combine combine, Scalar body, Buffer out) {
        var values = new double[Math.toIntExact(width)];
        double identity = ReferenceLoops.identity(combine, body.type(types)).real();
        for (int c = 0; c < values.length; c++) values[c] = identity;
        var blocks = values.clone();
        visit(
                (row, walk, eval) -> {
                    int c = (int) (walk.position % width);
                    blocks[c] = ReferenceLoops.combine(combine, blocks[c], eval.value(body).real());
                    if ((row + 1) % ReferenceLoops.BLOCK != 0 && row + 1 != rows) return;
                    values[c] = ReferenceLoops.combine(combine, values[c], blocks[c]);
                    blocks[c] = identity;
                });
        for (int c = 0; c < values.length; c++) out.set(c, values[c]);
    }
}
