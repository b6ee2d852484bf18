package dev.ebb.cpu.group;

import dev.ebb.cpu.code.FusedBlocks;
import dev.ebb.cpu.code.FusedForm;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.fold.FoldKernel;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.StoredType;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.Workers;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Selects neighbouring maps to compute together, with at most one fold of an expression over the
 * same positions. Every argument has their length, or is a scalar. Results are expressions of
 * values from before the group; only values that others read are stored.
 */
final class MapGroupForm {
    private static final long FEWEST = 128;

    /** Longer vectors are split among workers, one map at a time. */
    private static final long MOST = Workers.GRAIN;

    /** Where a value that others read is stored, and the index of the work that computes it. */
    private record Store(int work, Scalar made, Buffer to) {}

    /** A fold, and the expression that it folds. */
    record Fold(int work, Kernel.Fold kernel, Scalar body, Buffer to) {}

    private final Sequence sequence;
    private final int from;
    private final long n;
    private final DType type;
    private final Map<Value, Scalar> made = new HashMap<>();
    private final Map<Value, Buffer> loads = new LinkedHashMap<>();
    private final Map<Value, Integer> numbers = new HashMap<>();
    private final List<Store> stores = new ArrayList<>();
    private Optional<Fold> fold = Optional.empty();
    private int end;

    private MapGroupForm(Sequence sequence, int from) {
        this.sequence = sequence;
        this.from = from;
        var node = sequence.works().get(from).node();
        n = node.kernel() instanceof Kernel.Map k ? k.shape().size() : 0;
        type = node.outputs().isEmpty() ? DType.BIT : node.outputTypes().getFirst().dtype();
        end = from;
    }

    /** The works from {@code from} on that can be computed together, up to {@code end}. */
    static MapGroupForm of(Sequence sequence, int from, int end) {
        var form = new MapGroupForm(sequence, from);
        if (!isOfLength(form.n)) return form;
        if (form.type != DType.F64 && form.type != DType.F32) return form;
        while (form.end < end && form.add(sequence.works().get(form.end))) form.end++;
        form.store();
        return form;
    }

    /** Whether maps over this number of positions may be computed together. */
    static boolean isOfLength(long n) {
        return n >= FEWEST && n <= MOST;
    }

    int end() {
        return end;
    }

    long n() {
        return n;
    }

    DType type() {
        return type;
    }

    Optional<Fold> fold() {
        return fold;
    }

    List<Sequence.Work> works() {
        return sequence.works().subList(from, end);
    }

    private boolean add(Sequence.Work work) {
        var node = work.node();
        for (Value v : node.outputs())
            if (made.containsKey(v) || loads.containsKey(v) || v.type().dtype() != type)
                return false;
        return node.kernel() instanceof Kernel.Map m
                ? map(m, work)
                : node.kernel() instanceof Kernel.Fold f && fold.isEmpty() && fold(f, work);
    }

    private boolean map(Kernel.Map k, Sequence.Work work) {
        if (work.outputs().size() != work.node().outputs().size()) return false;
        if (!reads(k.shape(), k.operands(), k.bodies(), work)) return false;
        var types = work.node().inputTypes().stream().map(t -> t.dtype()).toList();
        var bodies = new ArrayList<Scalar>();
        for (var body : k.bodies()) bodies.add(over(StoredType.as(body, types, type), work));
        for (int j = 0; j < bodies.size(); j++)
            made.put(work.node().outputs().get(j), bodies.get(j));
        return true;
    }

    private boolean fold(Kernel.Fold k, Sequence.Work work) {
        if (k.bodies().size() > 1 || !FoldKernel.isOneRow(k)) return false;
        if (!reads(k.shape(), k.operands(), List.of(k.body()), work)) return false;
        var body = over(k.body(), work);
        fold = Optional.of(new Fold(end, k, body, work.outputs().getFirst()));
        return true;
    }

    /** Whether generated loops can compute these bodies and address their operands. */
    private boolean reads(Shape shape, List<View> views, List<Scalar> bodies, Sequence.Work work) {
        if (shape.size() != n) return false;
        var inputs = work.node().inputs();
        for (int i = 0; i < inputs.size(); i++) {
            var value = inputs.get(i);
            if (value.type().dtype() != type) return false;
            if (fold.isPresent()
                    && sequence.works().get(fold.get().work()).node().outputs().contains(value))
                return false;
            boolean whole = value.type().size() == n && views.get(i).isContiguous(shape);
            if (!whole && (value.type().size() != 1 || made.containsKey(value))) return false;
        }
        var types = work.node().inputTypes().stream().map(t -> t.dtype()).toList();
        if (!FusedForm.isPossible(OperationList.of(bodies, types), type)) return false;
        for (int i = 0; i < inputs.size(); i++) {
            var value = inputs.get(i);
            if (made.containsKey(value) || loads.containsKey(value)) continue;
            numbers.put(value, loads.size());
            loads.put(value, work.inputs().get(i));
        }
        return true;
    }

    /** {@code body} as an expression of values from before the group. */
    private Scalar over(Scalar body, Sequence.Work work) {
        var inputs = work.node().inputs();
        return body.mapArgs(
                a -> {
                    if (!(a instanceof Scalar.Arg(int i))) return a;
                    var known = made.get(inputs.get(i));
                    return known == null
                            ? Scalar.arg(numbers.getOrDefault(inputs.get(i), 0))
                            : known;
                });
    }

    /**
     * Records the values that are results or are read after the group before they are computed
     * again.
     */
    private void store() {
        var read = new HashSet<Value>();
        var again = new HashSet<Value>();
        for (var work : sequence.works().subList(end, sequence.works().size())) {
            for (Value v : work.node().inputs()) if (!again.contains(v)) read.add(v);
            again.addAll(work.node().outputs());
        }
        for (var r : sequence.results()) if (!again.contains(r.value())) read.add(r.value());
        for (int w = from; w < end; w++) {
            var work = sequence.works().get(w);
            for (int j = 0; j < work.outputs().size(); j++) {
                var v = work.node().outputs().get(j);
                var expression = made.get(v);
                if (expression != null && read.contains(v))
                    stores.add(new Store(w, expression, work.outputs().get(j)));
            }
        }
    }

    /**
     * Blocks of positions are written before later ones are read, so no output may overlap with
     * another part of an input or with another output. Returns the first work that violates this,
     * or the end.
     */
    int firstUnsafe() {
        int unsafe = end;
        for (int s = 0; s < stores.size(); s++) {
            var store = stores.get(s);
            boolean clear = true;
            for (var load : loads.values())
                clear &= !store.to.overlaps(load) || isSame(store.to, load);
            for (var other : stores.subList(0, s)) clear &= !store.to.overlaps(other.to);
            if (fold.isPresent()) clear &= !store.to.overlaps(fold.get().to());
            if (!clear) unsafe = Math.min(unsafe, store.work);
        }
        if (fold.isPresent() && loads.values().stream().anyMatch(l -> l.overlaps(fold.get().to())))
            unsafe = Math.min(unsafe, fold.get().work());
        return unsafe;
    }

    private static boolean isSame(Buffer a, Buffer b) {
        return a.memory().address() == b.memory().address() && a.size() == b.size();
    }

    /** The loops that compute all this, if registers suffice. */
    Optional<FusedBlocks> blocks(Tiles tiles, FusedLoops loops) {
        var bodies = new ArrayList<Scalar>();
        for (var store : stores) bodies.add(store.made);
        fold.ifPresent(f -> bodies.add(f.body()));
        if (bodies.isEmpty()) return Optional.empty();
        var types = loads.keySet().stream().map(v -> v.type().dtype()).toList();
        var has = tiles.scratch().worker(0);
        return FusedBlocks.of(
                OperationList.of(bodies, types),
                List.copyOf(loads.values()),
                stores.stream().map(s -> s.to).toList(),
                fold.isPresent() ? (int) Math.min(n, Tile.LENGTH) : 0,
                has.of(type == DType.F64 ? ScratchArray.F64 : ScratchArray.F32),
                loops);
    }
}
