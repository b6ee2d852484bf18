package dev.ebb.pass;

import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Recomputes a cheap elementwise value in each of its readers instead of storing it, if every
 * reader then reads at most one further large operand in place of the value. The gradient of a
 * rectifier is an example: the batch norm before the rectifier reads its own input anyway, and this
 * input determines whether an element was positive.
 *
 * <p>An operand of the value may be recomputed too: the output of the rectifier, which is compared
 * with zero, follows from the input of the batch norm.
 */
final class Duplication {
    private final List<FusionCandidate> pieces;
    private final Table<Value, FusionCandidate> producer;
    private final Set<Value> results;
    private final FusionLimits limits;
    private final RunningSums sums;
    private final Table<Value, Set<FusionCandidate>> readers;

    Duplication(
            List<FusionCandidate> pieces,
            Table<Value, FusionCandidate> producer,
            Set<Value> results,
            FusionLimits limits) {
        this.pieces = pieces;
        this.producer = producer;
        this.results = results;
        this.limits = limits;
        sums = new RunningSums(pieces, producer);
        readers = FusionCandidate.readers(pieces);
    }

    void merge() {
        for (FusionCandidate piece : pieces) {
            if (!isCandidate(piece)) continue;
            for (var variant : variants(piece)) if (merge(piece, variant)) break;
        }
        pieces.removeIf(p -> p.gone);
    }

    private boolean isCandidate(FusionCandidate piece) {
        var value = piece.outputs.getFirst();
        return isMap(piece)
                && piece.places.isEmpty()
                && !results.contains(value)
                && readers.find(value).isPresent()
                && !readers.at(value).isEmpty()
                && readers.at(value).stream().allMatch(r -> mayCompute(r, piece));
    }

    private static boolean isMap(FusionCandidate piece) {
        return piece.kernel instanceof Kernel.Map map
                && map.bodies().size() == 1
                && piece.node.op().traits().isEmpty();
    }

    /**
     * Whether {@code reader} runs over as many elements as {@code piece} and can compute them
     * itself.
     */
    private boolean mayCompute(FusionCandidate reader, FusionCandidate piece) {
        return (reader.kernel instanceof Kernel.Map || reader.kernel instanceof Kernel.Fold)
                && !reader.is(Trait.ALONE)
                && OperandViews.walked(reader.kernel, 0).size()
                        == ((Kernel.Map) piece.kernel).shape().size()
                && !sums.isRunning(piece, reader);
    }

    /** The kernel of {@code piece}, and that with one of its operands computed in it. */
    private List<OperandViews.Bound> variants(FusionCandidate piece) {
        var all = new ArrayList<>(List.of(piece.bound()));
        for (int i = 0; i < piece.inputs.size(); i++) {
            var operand = piece.inputs.get(i);
            if (!isLarge(operand, piece)) continue;
            var from = producer.find(operand).filter(Duplication::isMap);
            if (from.isPresent() && from.get().places.isEmpty())
                Inlining.of(piece.bound(), i, from.get().bound(), operand, limits)
                        .ifPresent(all::add);
        }
        all.removeIf(bound -> OperandViews.bodyCost(bound.kernel()) > limits.cheap());
        return all;
    }

    private static boolean isLarge(Value v, FusionCandidate piece) {
        return v.type().size() >= piece.outputs.getFirst().type().size();
    }

    /**
     * Computes {@code variant}, a form of {@code piece}, in all of its readers, if none of them
     * then reads more.
     */
    private boolean merge(FusionCandidate piece, OperandViews.Bound variant) {
        var value = piece.outputs.getFirst();
        var all = List.copyOf(readers.at(value));
        var merged = new ArrayList<OperandViews.Bound>();
        for (FusionCandidate reader : all) {
            long more = 0;
            int count = 0;
            for (Value v : variant.inputs().stream().distinct().toList()) {
                if (!isLarge(v, piece) || reader.inputs.contains(v)) continue;
                more += v.type().bytes();
                count++;
            }
            if (count > 1 || more > value.type().bytes()) return false;
            var bound = inReader(reader, value, variant);
            if (bound.isEmpty()) return false;
            merged.add(bound.get());
        }
        for (int i = 0; i < all.size(); i++) {
            var reader = all.get(i);
            reader.take(merged.get(i), piece);
            reader.inputs.forEach(v -> readers.at(v).add(reader));
        }
        piece.gone = true;
        piece.inputs.forEach(v -> readers.at(v).remove(piece));
        readers.at(value).clear();
        return true;
    }

    private Optional<OperandViews.Bound> inReader(
            FusionCandidate reader, Value value, OperandViews.Bound variant) {
        var bound = Optional.of(reader.bound());
        while (bound.isPresent() && bound.get().inputs().contains(value)) {
            var into = bound.get();
            bound = Inlining.of(into, into.inputs().indexOf(value), variant, value, limits);
        }
        return bound;
    }
}
