package dev.ebb.cpu.sequence;

import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A {@link MergedLoop} ready to be compiled: its computations split into methods that the JIT
 * compilers can handle, and a register slot for every value that is in memory or is read by several
 * methods.
 *
 * @param parts the computations of each method, either all in a loop or all unrolled
 * @param starts the start of each slot in the registers of its type
 * @param stores the slots that are written to memory after each block of iterations
 * @param iterations the most iterations of a block
 * @param doubles the number of registers of f64; {@code floats} of f32
 */
record MergedLoopForm(
        MergedLoop merged,
        List<List<MergedLoop.Member>> parts,
        Map<RegisterSlot, Integer> starts,
        List<Store> stores,
        int iterations,
        int doubles,
        int floats) {

    /** The largest size of a method, by {@link UnrollLimits}. */
    private static final long MOST_BYTES = 4500;

    /** The most registers of a type. */
    static final int MOST_REGISTERS = 8192;

    /** The most iterations per block; more do not make anything faster. */
    private static final long MOST_ITERATIONS = 64;

    /** A slot that is written to memory. */
    record Store(RegisterSlot slot, Buffer to) {}

    /**
     * The methods of {@code merged}; with zero iterations per block if the registers do not
     * suffice.
     */
    static MergedLoopForm of(MergedLoop merged, Sequence sequence) {
        var parts = parts(merged);
        var stores = stores(merged, sequence);
        var slots = new LinkedHashSet<>(merged.loads().keySet());
        for (var pick : merged.picks()) slots.add(pick.slot());
        for (var store : stores) slots.add(store.slot());
        slots.addAll(crossing(merged, parts));
        long iterations = merged.atOnce() ? merged.n() : Math.min(MOST_ITERATIONS, merged.n());
        for (var type : List.of(DType.F64, DType.F32)) {
            long fixed = 0;
            long each = 0;
            for (var slot : slots) {
                if (slot.value().type().dtype() != type) continue;
                fixed += slot.fixed();
                each += slot.perRound();
            }
            if (fixed > MOST_REGISTERS) iterations = 0;
            else if (each > 0) iterations = Math.min(iterations, (MOST_REGISTERS - fixed) / each);
        }
        // a value that is held as a whole needs all iterations in one block
        if (merged.atOnce() && iterations < merged.n()) iterations = 0;
        var starts = new HashMap<RegisterSlot, Integer>();
        var taken = new HashMap<DType, Long>(Map.of(DType.F64, 0L, DType.F32, 0L));
        for (var slot : slots) {
            long at = taken.getOrDefault(slot.value().type().dtype(), 0L);
            starts.put(slot, (int) Math.min(at, Integer.MAX_VALUE));
            taken.put(
                    slot.value().type().dtype(), at + slot.fixed() + iterations * slot.perRound());
        }
        return new MergedLoopForm(
                merged,
                parts,
                starts,
                stores,
                (int) iterations,
                (int) Math.min(taken.getOrDefault(DType.F64, 0L), Integer.MAX_VALUE),
                (int) Math.min(taken.getOrDefault(DType.F32, 0L), Integer.MAX_VALUE));
    }

    private static List<List<MergedLoop.Member>> parts(MergedLoop merged) {
        var sorted = new ArrayList<>(merged.members());
        sorted.sort(Comparator.comparingInt(MergedLoop.Member::level));
        var parts = new ArrayList<List<MergedLoop.Member>>();
        int level = -1;
        long bytes = 0;
        for (var member : sorted) {
            long more = member.functions() * UnrollLimits.FUNCTION_BYTES;
            if (member.level() != level || bytes + more > MOST_BYTES) {
                parts.add(new ArrayList<>());
                bytes = 0;
            }
            level = member.level();
            bytes += more;
            parts.getLast().add(member);
        }
        return parts;
    }

    /** One past the index of the last computation. */
    int end() {
        return merged.end();
    }

    /** The indices of all computations. */
    Set<Integer> numbers() {
        return numbers(merged);
    }

    private static Set<Integer> numbers(MergedLoop merged) {
        var inside = new HashSet<Integer>();
        for (var member : merged.members()) inside.add(member.number());
        for (var pick : merged.picks()) inside.add(pick.number());
        inside.addAll(merged.constants().keySet());
        return inside;
    }

    /**
     * The merged loop's values that are results or are read after it, before they are computed
     * again. No other value of the merged loop is in memory: its memory may be used by computations
     * that were moved before the merged loop.
     */
    private static Set<Value> readOutside(MergedLoop merged, Sequence sequence) {
        var read = new HashSet<Value>();
        var again = new HashSet<Value>();
        for (var work : sequence.works().subList(merged.end(), sequence.works().size())) {
            for (Value v : work.node().inputs()) if (!again.contains(v)) read.add(v);
            again.addAll(work.node().outputs());
        }
        for (var r : sequence.results()) if (!again.contains(r.value())) read.add(r.value());
        return read;
    }

    /**
     * The computations to run before this merged loop: those that are not part of it, and the
     * constants that other computations read.
     */
    SortedMap<Integer, Sequence.Work> before(Sequence sequence) {
        var read = readOutside(merged, sequence);
        var before = new TreeMap<>(merged.before());
        var constants = new TreeMap<>(merged.constants());
        for (var constant : constants.descendingMap().entrySet()) {
            var node = constant.getValue().node();
            if (node.outputs().stream().noneMatch(read::contains)) continue;
            before.put(constant.getKey(), constant.getValue());
            read.addAll(node.inputs());
        }
        return before;
    }

    /** Values computed here and read by computations outside. */
    private static List<Store> stores(MergedLoop merged, Sequence sequence) {
        var read = readOutside(merged, sequence);
        var stores = new ArrayList<Store>();
        for (var pick : merged.picks())
            if (read.contains(pick.slot().value()))
                stores.add(new Store(pick.slot(), pick.work().outputs().getFirst()));
        for (var member : merged.members()) {
            for (int j = 0; j < member.made().size(); j++) {
                var v = member.made().get(j);
                if (read.contains(v))
                    stores.add(new Store(slot(merged, member, j), member.work().outputs().get(j)));
            }
        }
        return stores;
    }

    /** The slot of output {@code j} of {@code member} if it must be in a register. */
    static RegisterSlot slot(MergedLoop merged, MergedLoop.Member member, int j) {
        var v = member.made().get(j);
        return member.sliced()
                .map(s -> merged.made(v, s.outputs().get(j), 0).slot())
                .orElse(RegisterSlot.whole(v));
    }

    /** Where a value is computed: in which method, and its slot if another method reads it. */
    private record Origin(int part, RegisterSlot slot) {}

    /** Values that one method computes and another reads. */
    private static Set<RegisterSlot> crossing(
            MergedLoop merged, List<List<MergedLoop.Member>> parts) {
        var origins = new HashMap<Value, Origin>();
        var crossing = new LinkedHashSet<RegisterSlot>();
        for (int p = 0; p < parts.size(); p++) {
            for (var member : parts.get(p)) {
                for (Value v : member.work().node().inputs()) {
                    var origin = origins.get(v);
                    if (origin != null && origin.part() != p) crossing.add(origin.slot());
                }
                for (int j = 0; j < member.made().size(); j++)
                    origins.put(member.made().get(j), new Origin(p, slot(merged, member, j)));
            }
        }
        return crossing;
    }
}
