package dev.ebb.pass;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * View propagation: removes copies. A kernel that reads through views reads the source of the copy
 * instead, and one that writes through views writes to its destination.
 */
final class ViewPropagation {
    private final List<FusionCandidate> pieces;
    private final Table<Value, FusionCandidate> producer;
    private final Set<Value> results;
    private final Table<Value, Set<FusionCandidate>> readers;

    ViewPropagation(
            List<FusionCandidate> pieces,
            Table<Value, FusionCandidate> producer,
            Set<Value> results) {
        this.pieces = pieces;
        this.producer = producer;
        this.results = results;
        readers = FusionCandidate.readers(pieces);
    }

    /**
     * A value that is a copy: its element at each index of {@code shape} is the element of {@code
     * source} that {@code view} reads there.
     */
    private record Copy(Shape shape, View view, Value source) {}

    private Optional<Copy> copy(Value value) {
        var from = producer.find(value);
        if (from.isEmpty()) return Optional.empty();
        var piece = from.get();
        var source = piece.inputs.isEmpty() ? value : piece.inputs.getFirst();
        if (piece.kernel instanceof Kernel.Cut cut) {
            int i = piece.outputs.indexOf(value);
            return Optional.of(new Copy(cut.shape(i), cut.view(i), source));
        }
        if (!piece.isMove()) return Optional.empty();
        var map = (Kernel.Map) piece.kernel;
        return Optional.of(new Copy(map.shape(), map.operands().getFirst(), source));
    }

    /**
     * Lets kernels read the source of a copy. A node comes after those that it reads, so a copy of
     * a copy already reads the original.
     */
    void reads() {
        for (FusionCandidate piece : pieces) {
            if (piece.is(Trait.ALONE)) continue;
            for (int i = 0; i < piece.inputs.size(); i++) read(piece, i);
        }
    }

    private void read(FusionCandidate piece, int i) {
        var copy = copy(piece.inputs.get(i));
        if (copy.isEmpty()) return;
        boolean only = readers.at(piece.inputs.get(i)).size() == 1;
        view(piece, i, copy.get(), only).ifPresent(v -> replace(piece, i, v, copy.get().source));
    }

    /** The view by which operand {@code i} can be read from the source of its copy. */
    private static Optional<View> view(FusionCandidate piece, int i, Copy copy, boolean only) {
        var views = OperandViews.views(piece.kernel);
        if (i >= views.size()) return Optional.empty();
        var walked = OperandViews.walked(piece.kernel, i);
        return Views.compose(walked, views.get(i), copy.shape, copy.view)
                .filter(v -> isWelcome(piece.kernel, i, walked, v, only));
    }

    /**
     * Whether a kernel can read through a view, and as fast as from a copy if the copy is needed by
     * others anyway.
     */
    private static boolean isWelcome(Kernel kernel, int i, Shape walked, View view, boolean only) {
        if (kernel instanceof Kernel.Contract && i < 2) return true;
        if (OperandViews.wantsRows(kernel, i)) return isInOrder(walked, view);
        return only || isSmooth(walked, view);
    }

    private static boolean isInOrder(Shape shape, View view) {
        int last = shape.rank() - 1;
        return shape.dim(last) <= 1 || view.stride(last) == 1;
    }

    /** Whether the stride along the innermost axis is one or zero. */
    private static boolean isSmooth(Shape shape, View view) {
        for (int d = shape.rank() - 1; d >= 0; d--) {
            if (shape.dim(d) > 1) return view.stride(d) == 1 || view.stride(d) == 0;
        }
        return true;
    }

    private static void replace(FusionCandidate piece, int i, View view, Value source) {
        piece.kernel = OperandViews.withView(piece.kernel, i, view);
        var inputs = new ArrayList<>(piece.inputs);
        inputs.set(i, source);
        piece.inputs = inputs;
    }

    /**
     * A result that is copied into another order is written in that order directly, if all its
     * other readers can read it in that order.
     */
    void writes() {
        for (FusionCandidate piece : pieces) {
            if (piece.is(Trait.ALONE) || OperandViews.results(piece.kernel).isEmpty()) continue;
            for (int i = 0; i < piece.outputs.size(); i++) write(piece, i);
        }
    }

    private void write(FusionCandidate piece, int output) {
        var value = piece.outputs.get(output);
        if (results.contains(value) || !readers.has(value)) return;
        var all = List.copyOf(readers.at(value));
        var moves = all.stream().filter(p -> p.isMove() && p.node.op().traits().isEmpty()).toList();
        if (moves.size() != 1) return;
        var move = moves.getFirst();
        var map = (Kernel.Map) move.kernel;
        var shape = value.type().shape();
        var place = Views.inverse(map.shape(), map.operands().getFirst(), shape);
        if (place.isEmpty()) return;
        var copy = new Copy(shape, place.get(), move.outputs.getFirst());
        var moved = moved(piece.kernel, output, copy);
        if (moved.isEmpty()) return;
        for (FusionCandidate reader : all)
            if (reader != move && !canRead(reader, value, copy)) return;
        for (FusionCandidate reader : all) if (reader != move) readInstead(reader, value, copy);
        piece.kernel = moved.get();
        var outputs = new ArrayList<>(piece.outputs);
        outputs.set(output, copy.source);
        piece.outputs = outputs;
        producer.put(copy.source, piece);
        move.gone = true;
    }

    /**
     * {@code kernel} with {@code output} written in the order of {@code copy}, if its rows stay
     * contiguous.
     */
    private static Optional<Kernel> moved(Kernel kernel, int output, Copy copy) {
        var places = new ArrayList<>(OperandViews.results(kernel));
        if (places.stream().noneMatch(p -> p.output() == output)) return Optional.empty();
        for (int i = 0; i < places.size(); i++) {
            if (places.get(i).output() != output) continue;
            var shape = OperandViews.written(kernel, i);
            var view = Views.compose(shape, places.get(i).view(), copy.shape, copy.view);
            if (view.isEmpty() || !isInOrder(shape, view.get())) return Optional.empty();
            places.set(i, new Kernel.Place(output, view.get()));
        }
        return Optional.of(OperandViews.withResults(kernel, places));
    }

    /**
     * Outputs that are only concatenated are written directly into the concatenation, as one
     * output.
     */
    void joins() {
        for (FusionCandidate piece : pieces) {
            if (piece.kernel instanceof Kernel.Assemble k
                    && k.isTiled()
                    && piece.node.op().traits().isEmpty()
                    && !piece.inputs.isEmpty()
                    && isReadHereAlone(piece.inputs)) {
                producer.find(piece.inputs.getFirst())
                        .filter(from -> !from.is(Trait.ALONE))
                        .ifPresent(from -> join(from, piece, k));
            }
        }
    }

    /** Whether one piece reads all of them, each once, and no other piece reads any. */
    private boolean isReadHereAlone(List<Value> values) {
        return new HashSet<>(values).size() == values.size()
                && values.stream().noneMatch(v -> results.contains(v) || readers.at(v).size() > 1);
    }

    private void join(FusionCandidate piece, FusionCandidate whole, Kernel.Assemble k) {
        var target = whole.outputs.getFirst();
        var kernel = piece.kernel;
        for (int i = 0; i < whole.inputs.size(); i++) {
            var part = k.parts().get(i);
            var copy = new Copy(part.shape(), part.in(k.shape()), target);
            var moved = moved(kernel, piece.outputs.indexOf(whole.inputs.get(i)), copy);
            if (moved.isEmpty()) return;
            kernel = moved.get();
        }
        var now = piece.outputs.stream().map(v -> whole.inputs.contains(v) ? target : v).toList();
        var outputs = now.stream().distinct().toList();
        var places =
                OperandViews.results(kernel).stream()
                        .map(p -> new Kernel.Place(outputs.indexOf(now.get(p.output())), p.view()))
                        .toList();
        piece.kernel = OperandViews.withResults(kernel, places);
        piece.outputs = outputs;
        piece.labels.addAll(whole.labels);
        producer.put(target, piece);
        whole.gone = true;
    }

    private static boolean canRead(FusionCandidate reader, Value value, Copy copy) {
        if (reader.is(Trait.ALONE)) return false;
        for (int i = 0; i < reader.inputs.size(); i++) {
            if (reader.inputs.get(i).equals(value) && view(reader, i, copy, false).isEmpty())
                return false;
        }
        return true;
    }

    private static void readInstead(FusionCandidate reader, Value value, Copy copy) {
        for (int i = 0; i < reader.inputs.size(); i++) {
            if (!reader.inputs.get(i).equals(value)) continue;
            replace(reader, i, view(reader, i, copy, false).orElseThrow(), copy.source);
        }
    }
}
