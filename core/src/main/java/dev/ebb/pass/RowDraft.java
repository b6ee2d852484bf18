package dev.ebb.pass;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A {@link Kernel.Rows} under construction: its operands, the numbers of each row so far, and the
 * nodes that computed them before.
 */
final class RowDraft {
    /**
     * During construction, when the number of operands changes, numbers are the arguments from this
     * index on.
     */
    private static final int NUMBERS = 1 << 20;

    private final Shape shape;
    private final int leading;
    private final Shape outer;
    private final Function<Value, Optional<FusionCandidate>> source;
    private final List<View> views = new ArrayList<>();
    private final List<Value> inputs = new ArrayList<>();
    private final List<RowParts.RowValue> numbers = new ArrayList<>();
    private final Table<Value, Integer> known = new Table<>();
    private final Set<FusionCandidate> absorbed = new LinkedHashSet<>();
    private RowParts.Result result = new RowParts.RowNumber(0);

    /**
     * @param source the node that computes a value, if it may become part of this kernel
     */
    RowDraft(Shape shape, int leading, Function<Value, Optional<FusionCandidate>> source) {
        this.shape = shape;
        this.leading = leading;
        this.source = source;
        outer = new Shape(shape.dims().subList(0, leading));
    }

    long width() {
        return shape.size() / outer.size();
    }

    Set<FusionCandidate> absorbed() {
        return absorbed;
    }

    int numbers() {
        return numbers.size();
    }

    List<Value> inputs() {
        return inputs;
    }

    boolean folds() {
        return absorbed.stream().anyMatch(p -> p.kernel instanceof Kernel.Fold);
    }

    /** The bytes of one row of all operands. */
    long rowBytes() {
        return IntStream.range(0, views.size())
                .filter(i -> !isSteady(views.get(i)))
                .mapToLong(i -> inputs.get(i).type().dtype().bytes(width()))
                .sum();
    }

    RowDraft result(RowParts.Result made) {
        result = made;
        return this;
    }

    void add(RowParts.RowValue number) {
        numbers.add(number);
    }

    /**
     * {@code body} of these operands, in which operands with one element per row are computed in
     * this kernel if possible. Large operands are added first, because what may be computed here
     * depends on what is read anyway.
     */
    Scalar take(List<Value> values, List<View> read, Scalar body) {
        var places = new Scalar[values.size()];
        for (boolean steady : List.of(false, true)) {
            for (int i = 0; i < places.length; i++) {
                var view = walked(shape, read.get(i)).orElse(read.get(i));
                if (isSteady(view) == steady) places[i] = place(values.get(i), view);
            }
        }
        return body.mapArgs(a -> places[((Scalar.Arg) a).index()]);
    }

    /**
     * Whether {@code value}, read through {@code view}, has one element per row and should be
     * computed in this kernel.
     */
    private boolean isNumber(Value value, View view) {
        return isSteady(view)
                && value.type().size() == outer.size()
                && new View(view.offset(), view.strides().subList(0, leading)).isContiguous(outer)
                && source.apply(value).filter(this::canAbsorb).isPresent();
    }

    private boolean isSteady(View view) {
        return IntStream.range(leading, shape.rank())
                .allMatch(d -> shape.dim(d) == 1 || view.stride(d) == 0);
    }

    private boolean canAbsorb(FusionCandidate piece) {
        if (piece.kernel instanceof Kernel.Fold fold) return canFold(piece, fold);
        return piece.kernel instanceof Kernel.Map map
                && map.bodies().size() == 1
                && map.shape().size() == outer.size()
                && !OperandViews.knowsItsPlace(map.bodies().getFirst())
                && computes(piece, map.bodies().getFirst())
                && map.operands().stream().allMatch(v -> repeated(map.shape(), v).isPresent());
    }

    private boolean canFold(FusionCandidate piece, Kernel.Fold fold) {
        int first = RowFusion.trailing(fold);
        if (first < 0 || fold.shape().size() != shape.size()) return false;
        if (new Shape(fold.shape().dims().subList(0, first)).size() != outer.size()) return false;
        var order = View.contiguous(shape);
        if (!computes(piece, fold.body())
                || !OperandViews.keepsItsPlace(fold.body(), fold.shape(), shape, order))
            return false;
        for (int i = 0; i < piece.inputs.size(); i++) {
            var view = walked(fold.shape(), fold.operands().get(i));
            if (view.isEmpty()) return false;
            var value = piece.inputs.get(i);
            boolean large = !isSteady(view.get()) && value.type().size() >= shape.size();
            if (large && find(value, view.get()) < 0) return false;
        }
        return true;
    }

    /** Whether a body has the compute type of its value. */
    private static boolean computes(FusionCandidate piece, Scalar body) {
        var types = piece.inputs.stream().map(v -> v.type().dtype()).toList();
        return body.type(types) == piece.outputs.getFirst().type().dtype().compute();
    }

    /** {@code view}, which is read along {@code from}, read along the shape of this kernel. */
    private Optional<View> walked(Shape from, View view) {
        return Views.refactor(from, view, shape);
    }

    /** {@code view} of one element per row, broadcast along the shape of this kernel. */
    private Optional<View> repeated(Shape from, View view) {
        return Views.refactor(from, view, outer)
                .map(
                        v -> {
                            var strides = new ArrayList<>(v.strides());
                            while (strides.size() < shape.rank()) strides.add(0L);
                            return new View(v.offset(), strides);
                        });
    }

    private int find(Value value, View view) {
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i).equals(value) && views.get(i).equals(view)) return i;
        }
        return -1;
    }

    private Scalar place(Value value, View view) {
        if (isNumber(value, view)) {
            var number = Scalar.arg(NUMBERS + number(value));
            return OperandViews.asStored(number, value.type().dtype());
        }
        int at = find(value, view);
        if (at >= 0) return Scalar.arg(at);
        inputs.add(value);
        views.add(view);
        return Scalar.arg(inputs.size() - 1);
    }

    private int number(Value value) {
        if (known.has(value)) return known.at(value);
        var piece = source.apply(value).orElseThrow();
        var number = number(piece);
        absorbed.add(piece);
        numbers.add(number);
        known.put(value, numbers.size() - 1);
        return numbers.size() - 1;
    }

    private RowParts.RowValue number(FusionCandidate piece) {
        if (piece.kernel instanceof Kernel.Fold fold) {
            var read = fold.operands().stream().map(v -> walked(fold.shape(), v)).toList();
            return new RowParts.Fold(fold.combine(), moved(piece, read, fold.body()));
        }
        var map = (Kernel.Map) piece.kernel;
        var read = map.operands().stream().map(v -> repeated(map.shape(), v)).toList();
        return new RowParts.Apply(moved(piece, read, map.bodies().getFirst()));
    }

    private Scalar moved(FusionCandidate piece, List<Optional<View>> read, Scalar body) {
        var places = new Scalar[read.size()];
        for (int i = 0; i < places.length; i++)
            places[i] = place(piece.inputs.get(i), read.get(i).orElseThrow());
        return body.mapArgs(a -> places[((Scalar.Arg) a).index()]);
    }

    /** Replaces the kernel of {@code piece} by the finished kernel. */
    void finish(FusionCandidate piece) {
        var settled = new RowHoist(inputs, views.stream().map(this::isSteady).toList(), NUMBERS);
        numbers.forEach(settled::add);
        var made = settled.result(result);
        piece.kernel = new Kernel.Rows(shape, leading, views, settled.numbers(), made);
        piece.inputs = List.copyOf(inputs);
        var names = new ArrayList<String>();
        for (FusionCandidate p : absorbed) {
            piece.labels.addAll(p.labels);
            names.add(p.name);
        }
        names.add(piece.name);
        piece.name = String.join("+", names);
    }
}
