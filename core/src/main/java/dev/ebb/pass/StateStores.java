package dev.ebb.pass;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Moves the stores of states to positions where they cost nothing. A store copies the next version
 * of a state into the memory of that state. The other readers of the next version are made to read
 * the stored copy. Then the store is the only reader of the map that computes the next version, and
 * the map can be fused into the store and write in place. If the next version is computed by
 * overwriting a part of an earlier version, the store is moved before that update, so that the part
 * is written directly into the memory of the state.
 */
final class StateStores {
    /** The most elementwise ops between an update of a part and a store that is moved before it. */
    private static final int DEEPEST = 64;

    private final List<FusionCandidate> pieces;
    private final Table<Value, FusionCandidate> producer;
    private final Set<Value> results;
    private final Set<Value> params;
    private final Table<Value, Set<FusionCandidate>> readers;

    /** Values that a moved store puts into the memory of a state, where updates change them. */
    private final Set<Value> stored = new HashSet<>();

    /** Results of {@link #operand} for the current store. */
    private final Map<Value, Integer> known = new HashMap<>();

    StateStores(
            List<FusionCandidate> pieces,
            Table<Value, FusionCandidate> producer,
            Set<Value> results,
            List<Value> params) {
        this.pieces = pieces;
        this.producer = producer;
        this.results = results;
        this.params = new HashSet<>(params);
        readers = FusionCandidate.readers(pieces);
    }

    void settle() {
        for (FusionCandidate store : List.copyOf(pieces)) {
            if (!isStore(store)) continue;
            if (!isWhole(store)) {
                store.places = List.of(store.inputs.getFirst());
                continue;
            }
            for (int operand = before(store); operand >= 0; operand = before(store))
                swap(store, producer.at(store.inputs.getLast()), operand);
            if (store.inputs.getFirst().equals(store.inputs.getLast()) && isInner(store)) {
                pieces.remove(store);
                replace(store.outputs.getFirst(), store.inputs.getFirst());
            } else {
                if (isStore(store)) store.places = List.of(store.inputs.getFirst());
                readWhatIsStored(store);
            }
        }
    }

    /** Whether the store reads all elements of its operand, not only the first ones. */
    private static boolean isWhole(FusionCandidate store) {
        return store.inputs.getLast().type().size() == store.outputs.getFirst().type().size();
    }

    private boolean isInner(FusionCandidate store) {
        return stored.contains(store.outputs.getFirst());
    }

    private boolean isStore(FusionCandidate piece) {
        return piece.isStore()
                && params.contains(piece.inputs.getFirst())
                && results.contains(piece.outputs.getFirst());
    }

    /**
     * Which operand of the piece that computes the stored value can be stored instead of the value,
     * so that the piece runs after the store; -1 if none can.
     */
    private int before(FusionCandidate store) {
        known.clear();
        return operand(store.inputs.getLast(), 0);
    }

    /**
     * Which operand of the producer of {@code v} leads to {@code v} through updates of a part and
     * elementwise ops, beginning with the former; -1 if there is none.
     */
    private int operand(Value v, int depth) {
        if (depth > DEEPEST) return -1;
        Integer before = known.get(v);
        if (before != null) return before;
        int found = find(v, depth);
        known.put(v, found);
        return found;
    }

    private int find(Value v, int depth) {
        var from = producer.find(v);
        if (from.isEmpty() || results.contains(v) || !from.get().node.op().traits().isEmpty())
            return -1;
        var piece = from.get();
        if (piece.kernel instanceof Kernel.Assemble k)
            return k.isUpdate() && isOnce(piece, 0) ? 0 : -1;
        if (piece.kernel instanceof Kernel.Scatter k)
            return k.isUpdate() && isOnce(piece, 0) ? 0 : -1;
        if (!(piece.kernel instanceof Kernel.Map map) || map.bodies().size() != 1) return -1;
        for (int i = 0; i < piece.inputs.size(); i++) {
            var x = piece.inputs.get(i);
            if (x.type().equals(v.type())
                    && map.operands().get(i).isContiguous(map.shape())
                    && isOnce(piece, i)
                    && operand(x, depth + 1) >= 0) return i;
        }
        return -1;
    }

    private static boolean isOnce(FusionCandidate piece, int operand) {
        var x = piece.inputs.get(operand);
        return piece.inputs.stream().filter(x::equals).count() == 1;
    }

    /** {@code store(update(x))} becomes {@code update(store(x))}. */
    private void swap(FusionCandidate store, FusionCandidate update, int operand) {
        var computed = update.outputs.getFirst();
        var last = store.outputs.getFirst();
        replace(computed, last);
        var operands = new ArrayList<>(update.inputs);
        reads(store, List.of(store.inputs.getFirst(), operands.set(operand, computed)));
        reads(update, operands);
        store.outputs = update.outputs;
        update.outputs = List.of(last);
        producer.put(computed, store);
        producer.put(last, update);
        stored.add(computed);
        pieces.remove(store);
        pieces.add(pieces.indexOf(update), store);
    }

    /** Gives a piece other operands. */
    private void reads(FusionCandidate piece, List<Value> operands) {
        for (Value v : piece.inputs) readers.at(v).remove(piece);
        for (Value v : operands) {
            if (!readers.has(v)) readers.put(v, new LinkedHashSet<>());
            readers.at(v).add(piece);
        }
        piece.inputs = operands;
    }

    private void replace(Value v, Value by) {
        for (FusionCandidate reader : List.copyOf(readers.find(v).orElse(Set.of())))
            reads(reader, reader.inputs.stream().map(x -> x.equals(v) ? by : x).toList());
    }

    /** Lets all other readers of the stored value read the copy in the memory of the state. */
    private void readWhatIsStored(FusionCandidate store) {
        var computed = store.inputs.getLast();
        var from = producer.find(computed);
        if (from.isEmpty()
                || !(from.get().kernel instanceof Kernel.Map)
                || results.contains(computed)) return;
        var operands = store.inputs;
        pieces.remove(store);
        replace(computed, store.outputs.getFirst());
        reads(store, operands);
        pieces.add(pieces.indexOf(from.get()) + 1, store);
    }
}
