package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of a row. Folds that do not depend on each other are computed in one pass over the
 * elements, and combined over the lanes together, so that the lanes wait less often.
 */
final class RowNumbers {
    private final List<RowParts.RowValue> numbers;
    private final int operands;
    private final List<DType> types;
    private final FoldGrid grid;
    private final RowLanes lanes;
    private final RowElements row;
    private final SourceLines code;

    /**
     * @param types the types of operands and numbers
     */
    RowNumbers(
            Kernel.Rows k,
            List<DType> types,
            FoldGrid grid,
            RowLanes lanes,
            RowElements row,
            SourceLines code) {
        numbers = k.numbers();
        operands = k.operands().size();
        this.types = types;
        this.grid = grid;
        this.lanes = lanes;
        this.row = row;
        this.code = code;
    }

    /** Writes the code that computes {@code n0}, {@code n1} and so on for {@code row}. */
    void compute() {
        var open = new ArrayList<Integer>();
        for (int i = 0; i < numbers.size(); i++) open.add(i);
        while (!open.isEmpty()) {
            for (int i : List.copyOf(open)) {
                if (numbers.get(i) instanceof RowParts.Apply(var body) && !reads(body, open)) {
                    apply(i, body);
                    open.remove((Integer) i);
                }
            }
            var folds =
                    open.stream()
                            .filter(i -> numbers.get(i) instanceof RowParts.Fold)
                            .filter(i -> !reads(numbers.get(i).body(), open))
                            .toList();
            if (!folds.isEmpty()) fold(folds);
            open.removeAll(folds);
        }
    }

    /** Whether {@code body} reads one of these numbers. */
    private boolean reads(Scalar body, List<Integer> some) {
        return body instanceof Scalar.Arg(int i)
                ? some.contains(i - operands)
                : body.parts().stream().anyMatch(part -> reads(part, some));
    }

    private DType type(int number) {
        return types.get(operands + number);
    }

    private void apply(int i, Scalar body) {
        code.add("%s n%d;", CudaSyntax.computed(type(i)), i);
        code.add("{");
        var values = grid.element(code, "0", _ -> "", types, false);
        code.add("n%d = %s;", i, values.value(body));
        code.close();
    }

    private RowParts.Fold fold(int i) {
        return (RowParts.Fold) numbers.get(i);
    }

    private void fold(List<Integer> group) {
        boolean alone = lanes.segments() == 1;
        var sums = group.stream().map(i -> sum(i, alone)).toList();
        if (!alone) for (int i : group) start(i, "n" + i);
        row.segments(
                () -> {
                    for (int j = 0; j < sums.size(); j++) start(group.get(j), sums.get(j).name());
                },
                value -> {
                    for (int j = 0; j < sums.size(); j++)
                        code.add(sums.get(j).with(value.value(fold(group.get(j)).body())));
                },
                () -> {
                    lanes.join(code, sums);
                    if (alone) return;
                    for (int i : group)
                        code.add(
                                "n%d = first ? part%d : %s(n%d, part%d);",
                                i, i, CudaSyntax.combine(fold(i).combine()), i, i);
                });
    }

    /** The sum of a lane: that of the whole row if it is folded {@code alone}, or of a segment. */
    private RowLanes.Partial sum(int i, boolean alone) {
        return new RowLanes.Partial(fold(i).combine(), type(i), (alone ? "n" : "part") + i);
    }

    private void start(int i, String name) {
        var identity = CudaSyntax.identity(fold(i).combine(), type(i));
        code.add("%s %s = %s;", CudaSyntax.computed(type(i)), name, identity);
    }
}
