package dev.ebb.pass;

import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Fuses the updates of several states into one kernel if they read the same values. The moments of
 * an optimizer and the weights are then written in one pass, which reads the gradient once and does
 * not read the new moments from memory.
 *
 * <p>Only elementwise stores into the memory of a state are fused. Their results need no further
 * memory at any time. So fusing two updates can only prolong the lifetimes of the values they read,
 * above all of the gradient. To avoid that, an update may be delayed only until nodes have run that
 * can run as soon as the operands of the update exist: other readers of the weights, whose operands
 * are those from which the gradient was computed, and small numbers such as a learning rate, which
 * are then computed first. An update that depends on more, for example on the norm of all
 * gradients, is not fused with one that does not.
 */
final class HorizontalFusion {
    /** The most ops through which the computation of a small number is followed. */
    private static final int DEEPEST = 64;

    private final List<FusionCandidate> pieces;
    private final FusionLimits limits;
    private final Table<Value, FusionCandidate> producer = new Table<>();
    private final Table<Value, Set<FusionCandidate>> readers;
    private final Table<FusionCandidate, Integer> order = new Table<>();

    /** Producers of small numbers that must now run before an update. */
    private final Set<FusionCandidate> awaited = new LinkedHashSet<>();

    /** The update that overwrites each state. */
    private final Table<Value, FusionCandidate> writer = new Table<>();

    HorizontalFusion(List<FusionCandidate> pieces, FusionLimits limits) {
        this.limits = limits;
        this.pieces = pieces;
        readers = FusionCandidate.readers(pieces);
        for (int i = 0; i < pieces.size(); i++) {
            var piece = pieces.get(i);
            order.put(piece, i);
            for (Value v : piece.outputs) producer.put(v, piece);
            for (Value place : piece.places) writer.put(place, piece);
        }
    }

    void merge() {
        for (FusionCandidate piece : List.copyOf(pieces)) {
            if (!isUpdate(piece)) continue;
            for (boolean merged = true; merged; ) {
                merged = kin(piece).stream().anyMatch(k -> merge(k, piece));
            }
        }
        pieces.removeIf(p -> p.gone);
        for (FusionCandidate piece : awaited) hasten(piece);
    }

    /** Moves {@code piece} to the first position at which its operands are computed. */
    private void hasten(FusionCandidate piece) {
        pieces.remove(piece);
        int at = 0;
        for (Value v : piece.inputs)
            at = Math.max(at, producer.find(v).map(pieces::indexOf).orElse(-1) + 1);
        pieces.add(at, piece);
    }

    private static boolean isUpdate(FusionCandidate piece) {
        return !piece.places.isEmpty()
                && piece.kernel instanceof Kernel.Map
                && piece.node.op().traits().isEmpty();
    }

    /**
     * Updates before {@code piece} with which it has a large operand in common, or whose result it
     * reads: fusing it with others saves no read.
     */
    private List<FusionCandidate> kin(FusionCandidate piece) {
        var found = new TreeSet<Integer>();
        for (Value v : piece.inputs) {
            if (isSmall(v, piece)) continue;
            producer.find(v).ifPresent(p -> found.add(order.at(p)));
            for (FusionCandidate p : readers.at(v)) found.add(order.at(p));
        }
        return found.headSet(order.at(piece)).stream()
                .map(pieces::get)
                .filter(p -> !p.gone && isUpdate(p))
                .toList();
    }

    /**
     * Makes {@code first} part of {@code second}, if that saves a read and holds nothing longer.
     */
    private boolean merge(FusionCandidate first, FusionCandidate second) {
        if (!first.region().equals(second.region())
                || first.node.reverse() != second.node.reverse()) return false;
        var bound = together(first, second);
        var early = new LinkedHashSet<FusionCandidate>();
        if (bound.isEmpty()
                || isReadBetween(first, second)
                || waitsInCircle(first, second)
                || !mayWait(first, second, early)
                || !mayWait(second, first, early)) return false;
        awaited.addAll(early);
        second.kernel = bound.get().kernel();
        second.inputs = bound.get().inputs();
        second.outputs = joined(first.outputs, second.outputs);
        second.places = joined(first.places, second.places);
        second.labels.addAll(first.labels);
        second.name = first.name + ", " + second.name;
        first.gone = true;
        first.inputs.forEach(v -> readers.at(v).remove(first));
        second.inputs.forEach(v -> readers.at(v).add(second));
        for (Value v : first.outputs) {
            producer.put(v, second);
            readers.find(v).ifPresent(r -> r.remove(second));
        }
        first.places.forEach(v -> writer.put(v, second));
        return true;
    }

    private static List<Value> joined(List<Value> x, List<Value> y) {
        var all = new ArrayList<>(x);
        all.addAll(y);
        return all;
    }

    /** One kernel for both, with all outputs in order, if it reads less than both. */
    private Optional<OperandViews.Bound> together(FusionCandidate first, FusionCandidate second) {
        var x = (Kernel.Map) first.kernel;
        var y = (Kernel.Map) second.kernel;
        if (!x.shape().equals(y.shape())) return Optional.empty();
        var views = new ArrayList<>(x.operands());
        var inputs = new ArrayList<>(first.inputs);
        var place = new ArrayList<Scalar>();
        int large = 0;
        for (int i = 0; i < second.inputs.size(); i++) {
            var v = second.inputs.get(i);
            int made = first.outputs.indexOf(v);
            boolean contiguous = y.operands().get(i).isContiguous(y.shape());
            if (made >= 0 && !contiguous) return Optional.empty();
            if (!isSmall(v, second)) large++;
            if (made >= 0) {
                place.add(OperandViews.asStored(x.bodies().get(made), v.type().dtype()));
            } else {
                place.add(Scalar.arg(inputs.size()));
                inputs.add(v);
                views.add(y.operands().get(i));
            }
        }
        for (Value v : first.inputs) if (!isSmall(v, second)) large++;
        var bodies = new ArrayList<>(x.bodies());
        for (Scalar body : y.bodies())
            bodies.add(body.mapArgs(a -> place.get(((Scalar.Arg) a).index())));
        var shared = OperandViews.share(new Kernel.Map(x.shape(), views, bodies), inputs);
        long left = shared.inputs().stream().filter(v -> !isSmall(v, second)).count();
        boolean fits =
                left < large
                        && shared.inputs().size() + bodies.size() <= limits.operands()
                        && OperandViews.bodyCost(shared.kernel()) <= limits.body();
        boolean inPlace =
                areInPlace(first.places, shared, x) && areInPlace(second.places, shared, y);
        return fits && inPlace ? Optional.of(shared) : Optional.empty();
    }

    /** Whether each state is read only at the index that is written. */
    private static boolean areInPlace(
            List<Value> states, OperandViews.Bound bound, Kernel.Map map) {
        List<View> views = OperandViews.views(bound.kernel());
        for (int i = 0; i < views.size(); i++) {
            if (states.contains(bound.inputs().get(i)) && !views.get(i).isContiguous(map.shape()))
                return false;
        }
        return true;
    }

    private static boolean isSmall(Value v, FusionCandidate piece) {
        return v.type().size() == 1 || v.type().size() < piece.outputs.getFirst().type().size();
    }

    /** Whether a piece between the two reads a value that the first one writes. */
    private boolean isReadBetween(FusionCandidate first, FusionCandidate second) {
        return first.outputs.stream()
                .flatMap(v -> readers.find(v).orElse(Set.of()).stream())
                .anyMatch(r -> order.at(r) < order.at(second));
    }

    /**
     * Whether fusing the two would make a cycle, because a node must run after one of them and
     * before the other: a reader of the result of one that also reads the old version of a state of
     * the other, or an update that must run after such a reader.
     */
    private boolean waitsInCircle(FusionCandidate first, FusionCandidate second) {
        var seen = new HashSet<FusionCandidate>();
        var open = new ArrayDeque<FusionCandidate>();
        for (FusionCandidate start : List.of(first, second)) {
            for (FusionCandidate p : followers(start)) if (p != first && p != second) open.add(p);
        }
        while (!open.isEmpty()) {
            var piece = open.remove();
            if (piece == first || piece == second) return true;
            if (seen.add(piece)) open.addAll(followers(piece));
        }
        return false;
    }

    /** The pieces that read the outputs of {@code piece} or overwrite its operands. */
    private Set<FusionCandidate> followers(FusionCandidate piece) {
        var all = new HashSet<FusionCandidate>();
        for (Value v : piece.outputs) readers.find(v).ifPresent(all::addAll);
        for (Value v : piece.inputs) writer.find(v).ifPresent(all::add);
        all.remove(piece);
        return all;
    }

    /**
     * Whether {@code piece} may be delayed until {@code other} can run, without prolonging the
     * lifetimes of its operands.
     */
    private boolean mayWait(
            FusionCandidate piece, FusionCandidate other, Set<FusionCandidate> early) {
        boolean holds =
                piece.inputs.stream()
                        .anyMatch(v -> producer.find(v).isPresent() && !isSmall(v, piece));
        boolean waits = other.outputs.stream().anyMatch(piece.inputs::contains);
        if (!holds || waits) return true;
        var before = ancestors(piece);
        for (Value v : other.inputs) {
            boolean made = piece.outputs.contains(v);
            if (!made && !piece.inputs.contains(v) && !isThere(v, piece, before, early, 0))
                return false;
        }
        for (Value place : other.places) {
            for (FusionCandidate r : readers.at(place)) {
                if (r == piece || r == other || before.contains(r)) continue;
                if (!r.inputs.stream().allMatch(v -> isThere(v, piece, before, early, 0)))
                    return false;
            }
        }
        return true;
    }

    /** All pieces that must run before {@code piece}. */
    private Set<FusionCandidate> ancestors(FusionCandidate piece) {
        var all = new HashSet<FusionCandidate>();
        var open = new ArrayDeque<>(List.of(piece));
        while (!open.isEmpty()) {
            for (Value v : open.remove().inputs) {
                producer.find(v).filter(all::add).ifPresent(open::add);
            }
        }
        return all;
    }

    /**
     * Whether {@code v} is computed when the operands of {@code piece} are, or is a small number
     * computed from such values.
     */
    private boolean isThere(
            Value v,
            FusionCandidate piece,
            Set<FusionCandidate> before,
            Set<FusionCandidate> early,
            int depth) {
        var from = producer.find(v);
        if (from.isEmpty() || before.contains(from.get()) || early.contains(from.get()))
            return true;
        if (depth > DEEPEST || !isSmall(v, piece) || !from.get().node.op().traits().isEmpty())
            return false;
        boolean there =
                from.get().inputs.stream()
                        .allMatch(
                                x ->
                                        isSmall(x, piece)
                                                && isThere(x, piece, before, early, depth + 1));
        // after the values it is computed from: in this order they can be moved
        if (there) early.add(from.get());
        return there;
    }
}
