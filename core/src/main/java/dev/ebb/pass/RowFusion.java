package dev.ebb.pass;

import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fuses folds of rows into the nodes that read their results along the same rows: a norm or a
 * softmax is then one kernel, which reads a row from memory once and folds it in the first-level
 * cache. There a fold costs next to nothing, so one with several readers is computed again in each
 * of them and its result is never stored. That pays only if it is fused into all readers, and only
 * if they read the row anyway.
 */
final class RowFusion {
    private final List<FusionCandidate> pieces;
    private final FusionLimits limits;
    private final Table<Value, FusionCandidate> producer;
    private final Set<Value> results;

    /** The nodes whose results are better stored than computed by each reader. */
    private final Set<FusionCandidate> kept = new HashSet<>();

    private Table<FusionCandidate, RowDraft> drafts = new Table<>();
    private final Set<FusionCandidate> gone = new HashSet<>();

    RowFusion(
            List<FusionCandidate> pieces,
            Table<Value, FusionCandidate> producer,
            Set<Value> results,
            FusionLimits limits) {
        this.limits = limits;
        this.pieces = pieces;
        this.producer = producer;
        this.results = results;
    }

    void fuse() {
        do {
            propose();
        } while (keepMore());
        for (FusionCandidate piece : pieces) {
            piece.gone |= gone.contains(piece);
            if (!piece.gone) drafts.find(piece).ifPresent(d -> d.finish(piece));
        }
    }

    private void propose() {
        drafts = new Table<>();
        gone.clear();
        for (FusionCandidate piece : pieces) draft(piece).ifPresent(d -> drafts.put(piece, d));
        var read = new HashSet<>(results);
        for (FusionCandidate piece : pieces.reversed()) {
            boolean unread = piece.outputs.stream().noneMatch(read::contains);
            if (unread && !piece.is(Trait.EFFECT)) gone.add(piece);
            else read.addAll(drafts.find(piece).map(RowDraft::inputs).orElse(piece.inputs));
        }
    }

    /**
     * Moves a node whose result is better stored after all to {@link #kept}; false if there is
     * none.
     */
    private boolean keepMore() {
        var takers = new HashMap<FusionCandidate, Integer>();
        for (FusionCandidate piece : pieces) {
            if (gone.contains(piece)) continue;
            drafts.find(piece)
                    .ifPresent(d -> d.absorbed().forEach(p -> takers.merge(p, 1, Integer::sum)));
        }
        int before = kept.size();
        takers.forEach(
                (piece, count) -> {
                    boolean dear =
                            piece.kernel instanceof Kernel.Fold fold
                                    && fold.body().cost() > limits.cheap();
                    if (!gone.contains(piece) || (dear && count > 1)) kept.add(piece);
                });
        return kept.size() > before;
    }

    /** {@code piece} with the folds of its rows fused into it, if there are any. */
    private Optional<RowDraft> draft(FusionCandidate piece) {
        if (piece.is(Trait.ALONE) || piece.outputs.size() != 1) return Optional.empty();
        var draft = Optional.<RowDraft>empty();
        if (piece.kernel instanceof Kernel.Map map) draft = ofMap(piece, map);
        if (piece.kernel instanceof Kernel.Fold fold) draft = ofFold(piece, fold);
        return draft.filter(RowDraft::folds)
                .filter(d -> d.numbers() <= limits.rowNumbers())
                .filter(d -> d.inputs().size() <= limits.operands())
                .filter(d -> d.rowBytes() <= limits.rowBytes());
    }

    private Optional<RowDraft> ofMap(FusionCandidate piece, Kernel.Map map) {
        if (map.bodies().size() != 1 || piece.outputs.getFirst().type().dtype() == DType.BIT)
            return Optional.empty();
        for (int i = 0; i < piece.inputs.size(); i++) {
            int leading = leading(map.shape(), map.operands().get(i).strides());
            if (!isRows(map.shape(), leading) || source(piece.inputs.get(i)).isEmpty()) continue;
            var draft = new RowDraft(map.shape(), leading, this::source);
            var body = draft.take(piece.inputs, map.operands(), map.bodies().getFirst());
            if (draft.folds()) return Optional.of(draft.result(new RowParts.Elements(body)));
        }
        return Optional.empty();
    }

    private Optional<RowDraft> ofFold(FusionCandidate piece, Kernel.Fold fold) {
        var type = piece.outputs.getFirst().type().dtype();
        int last = trailing(fold);
        boolean rows = last >= 0 && isRows(fold.shape(), last);
        int first = rows ? last : columns(fold);
        if (first < 0 || !isRows(fold.shape(), first) || !type.isFloat()) return Optional.empty();
        var draft = new RowDraft(fold.shape(), first, this::source);
        if (!rows && draft.width() > limits.widestColumns()) return Optional.empty();
        var body = draft.take(piece.inputs, fold.operands(), fold.body());
        if (!rows) return Optional.of(draft.result(new RowParts.Columns(fold.combine(), body)));
        if (draft.folds()) draft.add(new RowParts.Fold(fold.combine(), body));
        return Optional.of(draft.result(new RowParts.RowNumber(draft.numbers() - 1)));
    }

    /** The piece that computes {@code value}, if it may be computed elsewhere. */
    private Optional<FusionCandidate> source(Value value) {
        return producer.find(value)
                .filter(p -> !kept.contains(p) && !p.gone && p.node.op().traits().isEmpty())
                .filter(p -> p.outputs.size() == 1 && value.type().dtype().isFloat());
    }

    private boolean isRows(Shape shape, int leading) {
        long rows = new Shape(shape.dims().subList(0, leading)).size();
        return rows > 1 && shape.size() / rows >= limits.shortestRow();
    }

    /** The first axis from which on all strides are zero. */
    private static int leading(Shape shape, List<Long> strides) {
        int leading = shape.rank();
        while (leading > 0 && (shape.dim(leading - 1) == 1 || strides.get(leading - 1) == 0))
            leading--;
        return leading;
    }

    /** The first axis of the rows, if the last axes are folded; otherwise -1. */
    static int trailing(Kernel.Fold fold) {
        return boundary(fold, true);
    }

    /** The first axis of the rows, if all axes before it are folded; otherwise -1. */
    static int columns(Kernel.Fold fold) {
        return boundary(fold, false);
    }

    /**
     * The first of the folded axes (if {@code folded}) or of the kept ones; -1 if these are not the
     * last axes. Axes of size one count as either.
     */
    private static int boundary(Kernel.Fold fold, boolean folded) {
        var shape = fold.shape();
        int first = shape.rank();
        while (first > 0
                && (shape.dim(first - 1) == 1 || fold.axes().contains(first - 1) == folded))
            first--;
        // axes of size one belong to the rows before them
        while (first < shape.rank() && shape.dim(first) == 1) first++;
        var outer = new ArrayList<>(shape.allAxes().subList(0, first));
        outer.removeIf(d -> shape.dim(d) == 1);
        return outer.stream().allMatch(d -> fold.axes().contains(d) != folded) ? first : -1;
    }
}
