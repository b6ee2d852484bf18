package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Computes several results of the same rows in one kernel, so that the rows are read once: the
 * gradient of a norm's input with those of its weights and of the bias before it, a loss over
 * logits with its gradient.
 *
 * <p>One of the two reads all large operands of the other. The second of two kernels becomes part
 * of the first, where the first is, if everything else that the second reads can be computed
 * before; and if the second has a large result, no large value is computed between the two.
 * Otherwise the first becomes part of the second, if it has no large results and no node between
 * them reads its results. So no large value is in memory for longer than with two kernels.
 */
final class JointRows {
    private final List<FusionCandidate> pieces;
    private final Table<Value, FusionCandidate> producer;
    private final FusionLimits limits;
    private final Table<Value, Set<FusionCandidate>> readers;
    private Table<FusionCandidate, Integer> order = new Table<>();

    JointRows(
            List<FusionCandidate> pieces,
            Table<Value, FusionCandidate> producer,
            FusionLimits limits) {
        this.pieces = pieces;
        this.producer = producer;
        this.limits = limits;
        readers = FusionCandidate.readers(pieces);
        number();
    }

    private void number() {
        order = new Table<>();
        for (int i = 0; i < pieces.size(); i++) order.put(pieces.get(i), i);
    }

    void merge() {
        if (limits.fewestRows() == Long.MAX_VALUE) return;
        for (FusionCandidate second : List.copyOf(pieces)) {
            if (!isFree(second)) continue;
            for (FusionCandidate first : before(second)) if (merge(first, second)) break;
        }
        pieces.removeIf(p -> p.gone);
    }

    private static boolean isFree(FusionCandidate piece) {
        return !piece.gone && piece.places.isEmpty() && piece.node.op().traits().isEmpty();
    }

    /** The kernels before {@code piece} that compute or read a large operand of it. */
    private List<FusionCandidate> before(FusionCandidate piece) {
        var found = new TreeSet<Integer>();
        for (Value v : piece.inputs) {
            producer.find(v).ifPresent(p -> found.add(order.at(p)));
            for (FusionCandidate p : readers.at(v)) found.add(order.at(p));
        }
        return found.headSet(order.at(piece)).stream()
                .map(pieces::get)
                .filter(JointRows::isFree)
                .toList();
    }

    /** Makes the two one kernel, if they can run together. */
    private boolean merge(FusionCandidate first, FusionCandidate second) {
        var cut = RowResults.cut(first);
        var other = RowResults.cut(second);
        if (cut.isPresent() && other.isPresent() && !cut.get().isSameAs(other.get())) return false;
        var rows = cut.or(() -> other);
        if (rows.isEmpty()) return false;
        var x = RowResults.of(first, rows.get());
        var y = RowResults.of(second, rows.get());
        if (x.isEmpty() || y.isEmpty() || !isShared(x.get(), y.get())) return false;
        var both = x.get().and(y.get()).filter(r -> r.isWithin(limits));
        if (both.isEmpty()) return false;
        if (isEarly(first, x.get(), second, y.get())) {
            join(first, second, both.get());
            return true;
        }
        if (!isLate(first, x.get(), second, y.get())) return false;
        join(second, first, both.get());
        return true;
    }

    /** Makes {@code part} part of {@code whole}, which computes {@code results} from now on. */
    private void join(FusionCandidate whole, FusionCandidate part, RowResults results) {
        whole.name =
                order.at(whole) < order.at(part)
                        ? whole.name + ", " + part.name
                        : part.name + ", " + whole.name;
        whole.kernel = results.kernel();
        whole.inputs = results.inputs();
        whole.outputs = results.outputs();
        whole.labels.addAll(part.labels);
        part.gone = true;
        part.outputs.forEach(v -> producer.put(v, whole));
        part.inputs.forEach(v -> readers.at(v).remove(part));
        whole.inputs.forEach(v -> readers.at(v).add(whole));
    }

    /** Whether the two have an operand in common and one reads all large operands of the other. */
    private static boolean isShared(RowResults x, RowResults y) {
        var ofFirst = new HashSet<>(x.large());
        var ofSecond = new HashSet<>(y.large());
        ofSecond.removeAll(x.outputs());
        boolean follows = y.inputs().stream().anyMatch(x.outputs()::contains);
        boolean shares = ofSecond.stream().anyMatch(ofFirst::contains);
        return (follows || shares)
                && (ofFirst.containsAll(ofSecond) || ofSecond.containsAll(ofFirst));
    }

    /**
     * Whether {@code second} can be computed where {@code first} is; the nodes that must be
     * computed before {@code first} for that are moved there.
     */
    private boolean isEarly(
            FusionCandidate first, RowResults x, FusionCandidate second, RowResults y) {
        boolean may =
                !y.hasElements()
                        || (first.region().equals(second.region())
                                && isNothingLargeBetween(first, second, x.cut().shape().size()));
        if (!may) return false;
        long small = x.cut().outer().size();
        var early = new LinkedHashSet<FusionCandidate>();
        for (Value v : second.inputs) if (!isThere(v, first, small, early)) return false;
        if (y.hasElements() && !isLastReader(first, second, y, small, early)) return false;
        if (!early.isEmpty()) {
            pieces.removeAll(early);
            pieces.addAll(pieces.indexOf(first), early);
            number();
        }
        return true;
    }

    /**
     * Whether everything that reads a large operand of {@code second} between the two can be
     * computed before {@code first}, as small values; then the elements can overwrite that operand
     * as before.
     */
    private boolean isLastReader(
            FusionCandidate first,
            FusionCandidate second,
            RowResults y,
            long small,
            Set<FusionCandidate> early) {
        return y.large().stream()
                .flatMap(v -> readers.find(v).orElse(Set.of()).stream())
                .filter(r -> order.at(r) > order.at(first) && order.at(r) < order.at(second))
                .filter(r -> r != first && r != second)
                .sorted(Comparator.comparingInt(order::at))
                .toList()
                .stream()
                .allMatch(r -> r.outputs.stream().allMatch(v -> isThere(v, first, small, early)));
    }

    /**
     * Whether {@code first} can be computed where {@code second} is: it has no large results, its
     * large operands are in memory until then, and no node between them reads its results.
     */
    private boolean isLate(
            FusionCandidate first, RowResults x, FusionCandidate second, RowResults y) {
        return !x.hasElements()
                && y.large().containsAll(x.large())
                && first.outputs.stream()
                        .flatMap(v -> readers.find(v).orElse(Set.of()).stream())
                        .allMatch(r -> r == second || order.at(r) > order.at(second));
    }

    private boolean isNothingLargeBetween(
            FusionCandidate first, FusionCandidate second, long large) {
        return pieces.subList(order.at(first) + 1, order.at(second)).stream()
                .filter(p -> !p.gone)
                .flatMap(p -> p.outputs.stream())
                .allMatch(v -> v.type().size() < large);
    }

    /** Whether a piece is no loop, branch or library call, which may need much memory. */
    private static boolean isSimple(FusionCandidate piece) {
        return !(piece.kernel instanceof Control) && !(piece.kernel instanceof Kernel.Library);
    }

    /**
     * Whether {@code v} is computed before {@code first} or by it, or has at most {@code small}
     * elements and can be computed before it; adds to {@code early} the nodes that must be moved
     * for that, in order.
     */
    private boolean isThere(
            Value v, FusionCandidate first, long small, Set<FusionCandidate> early) {
        var from = producer.find(v);
        if (from.isEmpty() || from.get() == first || early.contains(from.get())) return true;
        if (order.at(from.get()) < order.at(first)) return true;
        if (!isFree(from.get())
                || !isSimple(from.get())
                || from.get().inputs.stream().anyMatch(first.outputs::contains)) return false;
        boolean can =
                from.get().outputs.stream().allMatch(o -> o.type().size() <= small)
                        && from.get().inputs.stream()
                                .allMatch(i -> isThere(i, first, small, early));
        if (can) early.add(from.get());
        return can;
    }
}
