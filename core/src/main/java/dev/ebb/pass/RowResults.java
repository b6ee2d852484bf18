package dev.ebb.pass;

import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A map, a fold of rows or of columns, or a kernel of rows in a common form: a list of results of
 * rows, to which further results of the same rows can be added. In the bodies, numbers are
 * arguments from {@link #NUMBERS} on, so that operands can be added.
 *
 * @param views how each of {@code inputs} is read
 * @param outputs the value of each result
 */
record RowResults(
        Cut cut,
        List<View> views,
        List<Value> inputs,
        List<RowParts.RowValue> numbers,
        List<RowParts.Result> results,
        List<Value> outputs) {
    private static final int NUMBERS = 1 << 20;

    /**
     * A row must be this many times as long as the shortest row that pays, if a result with
     * elements is fused with others.
     */
    private static final int WIDE = 4;

    /** A shape and its rows, which run along its axes from {@code leading} on. */
    record Cut(Shape shape, int leading) {
        Shape outer() {
            return new Shape(shape.dims().subList(0, leading));
        }

        long width() {
            return new Shape(shape.dims().subList(leading, shape.rank())).size();
        }

        boolean isSameAs(Cut other) {
            return shape.size() == other.shape.size() && outer().size() == other.outer().size();
        }

        /** Whether {@code view} is constant along a row. */
        boolean isSteady(View view) {
            return IntStream.range(leading, shape.rank())
                    .allMatch(d -> shape.dim(d) == 1 || view.stride(d) == 0);
        }
    }

    /** The rows of a fold or of a kernel of rows; a map can be read in rows of any length. */
    static Optional<Cut> cut(FusionCandidate piece) {
        if (piece.kernel instanceof Kernel.Rows k)
            return Optional.of(new Cut(k.shape(), k.leading()));
        if (!(piece.kernel instanceof Kernel.Fold fold) || fold.bodies().size() > 1)
            return Optional.empty();
        int last = RowFusion.trailing(fold);
        int first = last >= 0 ? last : RowFusion.columns(fold);
        return first < 0 ? Optional.empty() : Optional.of(new Cut(fold.shape(), first));
    }

    /** The results of {@code piece}, if it can be computed along these rows. */
    static Optional<RowResults> of(FusionCandidate piece, Cut cut) {
        var results =
                switch (piece.kernel) {
                    case Kernel.Rows k ->
                            Optional.of(
                                    new RowResults(
                                            new Cut(k.shape(), k.leading()),
                                            k.operands(),
                                            piece.inputs,
                                            k.numbers(),
                                            k.results(),
                                            piece.outputs));
                    case Kernel.Map k -> ofMap(piece, k);
                    case Kernel.Fold k -> cut(piece).map(own -> ofFold(piece, k, own));
                    default -> Optional.<RowResults>empty();
                };
        return results.filter(RowResults::isSupported)
                .map(r -> r.with(shifted(i -> i < r.views.size() ? i : r.number(i))))
                .flatMap(r -> r.along(cut));
    }

    private int number(int argument) {
        return NUMBERS + argument - views.size();
    }

    private static Optional<RowResults> ofMap(FusionCandidate piece, Kernel.Map map) {
        if (map.bodies().size() > 1 || !piece.places.isEmpty()) return Optional.empty();
        return Optional.of(
                new RowResults(
                        new Cut(map.shape(), 0),
                        map.operands(),
                        piece.inputs,
                        List.of(),
                        List.of(new RowParts.Elements(map.bodies().getFirst())),
                        piece.outputs));
    }

    private static RowResults ofFold(FusionCandidate piece, Kernel.Fold fold, Cut cut) {
        boolean rows = RowFusion.trailing(fold) >= 0;
        return new RowResults(
                cut,
                fold.operands(),
                piece.inputs,
                rows ? List.of(new RowParts.Fold(fold.combine(), fold.body())) : List.of(),
                List.of(
                        rows
                                ? new RowParts.RowNumber(0)
                                : new RowParts.Columns(fold.combine(), fold.body())),
                piece.outputs);
    }

    /** Whether all numbers, columns and their outputs are floats, and no integers are divided. */
    private boolean isSupported() {
        var types = new ArrayList<>(inputs.stream().map(v -> v.type().dtype()).toList());
        for (var number : numbers) types.add(number.body().type(types));
        for (int i = 0; i < results.size(); i++) {
            var out = outputs.get(i).type().dtype();
            boolean fits =
                    switch (results.get(i)) {
                        case RowParts.Elements _ -> out != DType.BIT;
                        case RowParts.RowNumber _ -> out.isFloat();
                        case RowParts.Columns(_, var body) ->
                                out.isFloat() && body.type(types).isFloat();
                    };
            if (!fits) return false;
        }
        return numbers.stream().allMatch(n -> n.body().type(types).isFloat())
                && bodies().stream().noneMatch(b -> divides(b, types));
    }

    private static boolean divides(Scalar body, List<DType> types) {
        return (body instanceof Scalar.Bin(var fn, _, _)
                        && (fn == Scalar.Fn2.DIV || fn == Scalar.Fn2.REM)
                        && !body.type(types).isFloat())
                || body.parts().stream().anyMatch(p -> divides(p, types));
    }

    /** These results with the rows of {@code to}, over the same elements. */
    private Optional<RowResults> along(Cut to) {
        if (cut.shape.size() != to.shape.size()) return Optional.empty();
        var order = View.contiguous(to.shape);
        if (!bodies().stream()
                .allMatch(b -> OperandViews.keepsItsPlace(b, cut.shape, to.shape, order)))
            return Optional.empty();
        if (cut.shape.equals(to.shape))
            return Optional.of(new RowResults(to, views, inputs, numbers, results, outputs));
        var read = new ArrayList<View>();
        for (var view : views) Views.refactor(cut.shape, view, to.shape).ifPresent(read::add);
        return read.size() < views.size()
                ? Optional.empty()
                : Optional.of(new RowResults(to, read, inputs, numbers, results, outputs));
    }

    private List<Scalar> bodies() {
        var all = new ArrayList<Scalar>();
        numbers.forEach(n -> all.add(n.body()));
        for (var result : results) {
            switch (result) {
                case RowParts.Elements(var body) -> all.add(body);
                case RowParts.Columns(_, var body) -> all.add(body);
                case RowParts.RowNumber _ -> {}
            }
        }
        return all;
    }

    private static UnaryOperator<Scalar> shifted(IntFunction<Integer> index) {
        return body -> body.mapArgs(a -> Scalar.arg(index.apply(((Scalar.Arg) a).index())));
    }

    private RowResults with(UnaryOperator<Scalar> body) {
        return new RowResults(
                cut,
                views,
                inputs,
                numbers.stream().map(n -> with(n, body)).toList(),
                results.stream().map(r -> with(r, body, i -> i)).toList(),
                outputs);
    }

    private static RowParts.RowValue with(RowParts.RowValue number, UnaryOperator<Scalar> body) {
        return switch (number) {
            case RowParts.Fold(var combine, var b) -> new RowParts.Fold(combine, body.apply(b));
            case RowParts.Apply(var b) -> new RowParts.Apply(body.apply(b));
        };
    }

    private static RowParts.Result with(
            RowParts.Result result, UnaryOperator<Scalar> body, IntFunction<Integer> number) {
        return switch (result) {
            case RowParts.Elements(var b) -> new RowParts.Elements(body.apply(b));
            case RowParts.Columns(var combine, var b) ->
                    new RowParts.Columns(combine, body.apply(b));
            case RowParts.RowNumber(int index) -> new RowParts.RowNumber(number.apply(index));
        };
    }

    /**
     * These results together with those of {@code other}, which may read results of this one. A
     * number that both have is computed once.
     */
    Optional<RowResults> and(RowResults other) {
        var allViews = new ArrayList<>(views);
        var allInputs = new ArrayList<>(inputs);
        var places = new ArrayList<Scalar>();
        for (int i = 0; i < other.inputs.size(); i++) {
            var place = place(other.inputs.get(i), other.views.get(i), allViews, allInputs);
            if (place.isEmpty()) return Optional.empty();
            places.add(place.get());
        }
        var allNumbers = new ArrayList<>(numbers);
        var known = new ArrayList<Integer>();
        UnaryOperator<Scalar> moved =
                body ->
                        body.mapArgs(
                                a -> {
                                    int i = ((Scalar.Arg) a).index();
                                    return i < NUMBERS
                                            ? places.get(i)
                                            : Scalar.arg(NUMBERS + known.get(i - NUMBERS));
                                });
        for (var number : other.numbers) {
            var own = with(number, moved);
            if (!allNumbers.contains(own)) allNumbers.add(own);
            known.add(allNumbers.indexOf(own));
        }
        var allResults = new ArrayList<>(results);
        other.results.forEach(r -> allResults.add(with(r, moved, known::get)));
        var allOutputs = new ArrayList<>(outputs);
        allOutputs.addAll(other.outputs);
        return Optional.of(
                new RowResults(cut, allViews, allInputs, allNumbers, allResults, allOutputs));
    }

    /**
     * The expression for an operand: a result of this kernel, an operand of it, or a new operand.
     */
    private Optional<Scalar> place(
            Value value, View view, List<View> allViews, List<Value> allInputs) {
        int made = outputs.indexOf(value);
        if (made >= 0) {
            var type = value.type().dtype();
            return switch (results.get(made)) {
                case RowParts.Elements(var body) ->
                        view.isContiguous(cut.shape)
                                ? Optional.of(OperandViews.asStored(body, type))
                                : Optional.empty();
                case RowParts.RowNumber(int index) ->
                        isOneEachRow(view)
                                ? Optional.of(
                                        OperandViews.asStored(Scalar.arg(NUMBERS + index), type))
                                : Optional.empty();
                case RowParts.Columns _ -> Optional.empty();
            };
        }
        for (int i = 0; i < allInputs.size(); i++) {
            if (allInputs.get(i).equals(value) && allViews.get(i).equals(view))
                return Optional.of(Scalar.arg(i));
        }
        allInputs.add(value);
        allViews.add(view);
        return Optional.of(Scalar.arg(allInputs.size() - 1));
    }

    private boolean isOneEachRow(View view) {
        var outer = new View(view.offset(), view.strides().subList(0, cut.leading));
        return cut.isSteady(view) && outer.isContiguous(cut.outer());
    }

    boolean hasElements() {
        return results.stream().anyMatch(r -> r instanceof RowParts.Elements);
    }

    private boolean hasColumns() {
        return results.stream().anyMatch(r -> r instanceof RowParts.Columns);
    }

    /** The values that are read element by element. */
    List<Value> large() {
        return inputs.stream().filter(v -> v.type().size() >= cut.shape.size()).toList();
    }

    boolean isWithin(FusionLimits limits) {
        long rowBytes = 0;
        for (int i = 0; i < views.size(); i++)
            if (!cut.isSteady(views.get(i)))
                rowBytes += inputs.get(i).type().dtype().bytes(cut.width());
        long elements = results.stream().filter(r -> r instanceof RowParts.Elements).count();
        return cut.outer().size() >= limits.fewestRows()
                && cut.width() >= (elements > 0 ? WIDE : 1) * limits.shortestRow()
                && (!hasColumns() || cut.width() <= limits.widestColumns())
                && elements <= 1
                && results.size() <= limits.folds()
                && numbers.size() <= limits.rowNumbers()
                && inputs.size() + results.size() <= limits.operands()
                && rowBytes <= limits.rowBytes()
                && Scalar.cost(bodies()) <= limits.body();
    }

    Kernel.Rows kernel() {
        int operands = views.size();
        var settled = with(shifted(i -> i < NUMBERS ? i : operands + i - NUMBERS));
        return new Kernel.Rows(cut.shape, cut.leading, views, settled.numbers, settled.results);
    }
}
