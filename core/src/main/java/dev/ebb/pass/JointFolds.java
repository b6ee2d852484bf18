package dev.ebb.pass;

import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fuses folds over the same elements into one kernel, which reads the elements once; for example
 * the two sums in the gradient of a batch norm.
 *
 * <p>Two folds are merged if they run over the same shape and axes and one of them reads all large
 * operands of the other: then no operand is held for longer than before.
 */
final class JointFolds {
    private final List<FusionCandidate> pieces;
    private final Table<Value, FusionCandidate> producer;
    private final FusionLimits limits;
    private final Table<Value, Set<FusionCandidate>> readers;
    private final Table<FusionCandidate, Integer> order = new Table<>();

    JointFolds(
            List<FusionCandidate> pieces,
            Table<Value, FusionCandidate> producer,
            FusionLimits limits) {
        this.pieces = pieces;
        this.producer = producer;
        this.limits = limits;
        readers = FusionCandidate.readers(pieces);
        for (int i = 0; i < pieces.size(); i++) order.put(pieces.get(i), i);
    }

    void merge() {
        if (limits.folds() < 2) return;
        for (FusionCandidate second : List.copyOf(pieces)) {
            if (!isFold(second)) continue;
            for (FusionCandidate first : folds(second)) {
                if (!first.gone && order.at(first) < order.at(second)) merge(first, second);
            }
        }
        pieces.removeIf(p -> p.gone);
    }

    private static boolean isFold(FusionCandidate piece) {
        return piece.kernel instanceof Kernel.Fold && piece.node.op().traits().isEmpty();
    }

    /** The folds that read an operand of {@code piece}, in order. */
    private List<FusionCandidate> folds(FusionCandidate piece) {
        return piece.inputs.stream()
                .filter(v -> isLarge(v, piece))
                .flatMap(v -> readers.at(v).stream())
                .distinct()
                .filter(JointFolds::isFold)
                .sorted((a, b) -> Integer.compare(order.at(a), order.at(b)))
                .toList();
    }

    /** Makes {@code first} part of {@code second}, if they can run together. */
    private void merge(FusionCandidate first, FusionCandidate second) {
        var bound = together(first, second);
        if (bound.isEmpty() || isReadBefore(first, second) || dependsOn(second, first)) return;
        second.kernel = bound.get().kernel();
        second.inputs = bound.get().inputs();
        var outputs = new ArrayList<>(first.outputs);
        outputs.addAll(second.outputs);
        second.outputs = outputs;
        second.labels.addAll(first.labels);
        second.name = first.name + ", " + second.name;
        first.gone = true;
        first.outputs.forEach(v -> producer.put(v, second));
        first.inputs.forEach(v -> readers.at(v).remove(first));
        second.inputs.forEach(v -> readers.at(v).add(second));
    }

    /** One kernel for both, with all outputs in order. */
    private Optional<OperandViews.Bound> together(FusionCandidate first, FusionCandidate second) {
        var x = (Kernel.Fold) first.kernel;
        var y = (Kernel.Fold) second.kernel;
        if (!x.shape().equals(y.shape())
                || !x.axes().equals(y.axes())
                || x.combine() != y.combine()
                || !first.region().equals(second.region())
                || first.node.reverse() != second.node.reverse()
                || !type(first).equals(type(second))
                || x.bodies().size() + y.bodies().size() > limits.folds()) return Optional.empty();
        var large = large(first);
        var largeOfSecond = large(second);
        if (!large.containsAll(largeOfSecond) && !largeOfSecond.containsAll(large))
            return Optional.empty();
        var views = new ArrayList<>(x.operands());
        views.addAll(y.operands());
        var inputs = new ArrayList<>(first.inputs);
        inputs.addAll(second.inputs);
        var bodies = new ArrayList<>(x.bodies());
        int before = x.operands().size();
        for (Scalar body : y.bodies())
            bodies.add(body.mapArgs(a -> Scalar.arg(((Scalar.Arg) a).index() + before)));
        var both = new Kernel.Fold(x.shape(), x.axes(), x.combine(), views, bodies);
        var shared = OperandViews.share(both, inputs);
        // an operand that is read through different views would be read more than once
        int distinct = (int) inputs.stream().distinct().count();
        return shared.inputs().size() == distinct
                        && distinct <= limits.operands()
                        && OperandViews.bodyCost(shared.kernel()) <= limits.body()
                ? Optional.of(shared)
                : Optional.empty();
    }

    /** The type of the outputs and the type in which they are computed. */
    private static List<Object> type(FusionCandidate piece) {
        var in = piece.inputs.stream().map(v -> v.type().dtype()).toList();
        var body = ((Kernel.Fold) piece.kernel).bodies().getFirst();
        return List.of(piece.outputs.getFirst().type(), body.type(in));
    }

    private static Set<Value> large(FusionCandidate piece) {
        var all = new HashSet<Value>();
        for (Value v : piece.inputs) if (isLarge(v, piece)) all.add(v);
        return all;
    }

    private static boolean isLarge(Value v, FusionCandidate piece) {
        return v.type().size() >= ((Kernel.Fold) piece.kernel).shape().size();
    }

    /** Whether a piece before {@code second} reads an output of {@code first}. */
    private boolean isReadBefore(FusionCandidate first, FusionCandidate second) {
        return first.outputs.stream()
                .flatMap(v -> readers.find(v).orElse(Set.of()).stream())
                .anyMatch(r -> order.at(r) <= order.at(second));
    }

    /** Whether {@code piece} depends on an output of {@code earlier}. */
    private boolean dependsOn(FusionCandidate piece, FusionCandidate earlier) {
        var open = new ArrayList<>(List.of(piece));
        var seen = new HashSet<FusionCandidate>();
        while (!open.isEmpty()) {
            for (Value v : open.removeLast().inputs) {
                var from = producer.find(v);
                if (from.isEmpty() || order.at(from.get()) < order.at(earlier)) continue;
                if (from.get() == earlier) return true;
                if (seen.add(from.get())) open.add(from.get());
            }
        }
        return false;
    }
}
