package dev.ebb.cpu.straight;

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
 * A {@link Region} ready to be compiled: its computations split into methods that the JIT compilers
 * can handle, and a register slot for every value that is in memory or is read by several methods.
 *
 * @param parts the computations of each method, all in a loop or all written out whole
 * @param starts where slots begin, of each type in the registers of that type
 * @param stores what is written to memory after the rounds at hand
 * @param rounds how many rounds are at hand at once, at most
 * @param doubles how many registers of f64 there are, {@code floats} of f32
 */
record RegionParts(
        Region region,
        List<List<Region.Member>> parts,
        Map<Slot, Integer> starts,
        List<Store> stores,
        int rounds,
        int doubles,
        int floats) {

    /** The largest size of a method, by {@link Fitting}. */
    private static final long MOST_BYTES = 4500;

    /** The most registers of a type. */
    static final int MOST_REGISTERS = 8192;

    /** The most rounds per block; more do not make anything faster. */
    private static final long MOST_ROUNDS = 64;

    /** A slot that is written to memory. */
    record Store(Slot slot, Buffer to) {}

    /** The parts of {@code region}; without rounds if the registers do not suffice. */
    static RegionParts of(Region region, Sequence sequence) {
        var parts = parts(region);
        var stores = stores(region, sequence);
        var slots = new LinkedHashSet<>(region.loads().keySet());
        for (var pick : region.picks()) slots.add(pick.slot());
        for (var store : stores) slots.add(store.slot());
        slots.addAll(crossing(region, parts));
        long rounds = region.atOnce() ? region.n() : Math.min(MOST_ROUNDS, region.n());
        for (var type : List.of(DType.F64, DType.F32)) {
            long fixed = 0;
            long each = 0;
            for (var slot : slots) {
                if (slot.value().type().dtype() != type) continue;
                fixed += slot.fixed();
                each += slot.perRound();
            }
            if (fixed > MOST_REGISTERS) rounds = 0;
            else if (each > 0) rounds = Math.min(rounds, (MOST_REGISTERS - fixed) / each);
        }
        // whole values need all rounds in one block
        if (region.atOnce() && rounds < region.n()) rounds = 0;
        var starts = new HashMap<Slot, Integer>();
        var taken = new HashMap<DType, Long>(Map.of(DType.F64, 0L, DType.F32, 0L));
        for (var slot : slots) {
            long at = taken.getOrDefault(slot.value().type().dtype(), 0L);
            starts.put(slot, (int) Math.min(at, Integer.MAX_VALUE));
            taken.put(slot.value().type().dtype(), at + slot.fixed() + rounds * slot.perRound());
        }
        return new RegionParts(
                region,
                parts,
                starts,
                stores,
                (int) rounds,
                (int) Math.min(taken.getOrDefault(DType.F64, 0L), Integer.MAX_VALUE),
                (int) Math.min(taken.getOrDefault(DType.F32, 0L), Integer.MAX_VALUE));
    }

    private static List<List<Region.Member>> parts(Region region) {
        var sorted = new ArrayList<>(region.members());
        sorted.sort(Comparator.comparingInt(Region.Member::level));
        var parts = new ArrayList<List<Region.Member>>();
        int level = -1;
        long bytes = 0;
        for (var member : sorted) {
            long more = member.functions() * Fitting.FUNCTION_BYTES;
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
        return region.end();
    }

    /** The indices of all computations. */
    Set<Integer> numbers() {
        return numbers(region);
    }

    private static Set<Integer> numbers(Region region) {
        var inside = new HashSet<Integer>();
        for (var member : region.members()) inside.add(member.number());
        for (var pick : region.picks()) inside.add(pick.number());
        inside.addAll(region.constants().keySet());
        return inside;
    }

    /**
     * The region's values that are results or are read after it, before they are computed again. No
     * other value of the region is in memory: its place there may be used by computations moved
     * before the region.
     */
    private static Set<Value> readOutside(Region region, Sequence sequence) {
        var read = new HashSet<Value>();
        var again = new HashSet<Value>();
        for (var work : sequence.works().subList(region.end(), sequence.works().size())) {
            for (Value v : work.node().inputs()) if (!again.contains(v)) read.add(v);
            again.addAll(work.node().outputs());
        }
        for (var r : sequence.results()) if (!again.contains(r.value())) read.add(r.value());
        return read;
    }

    /**
     * The computations to run before this region: those that take no part, and constants for
     * others.
     */
    SortedMap<Integer, Sequence.Work> before(Sequence sequence) {
        var read = readOutside(region, sequence);
        var before = new TreeMap<>(region.before());
        var constants = new TreeMap<>(region.constants());
        for (var constant : constants.descendingMap().entrySet()) {
            var node = constant.getValue().node();
            if (node.outputs().stream().noneMatch(read::contains)) continue;
            before.put(constant.getKey(), constant.getValue());
            read.addAll(node.inputs());
        }
        return before;
    }

    /** Values computed here and read by computations outside. */
    private static List<Store> stores(Region region, Sequence sequence) {
        var read = readOutside(region, sequence);
        var stores = new ArrayList<Store>();
        for (var pick : region.picks())
            if (read.contains(pick.slot().value()))
                stores.add(new Store(pick.slot(), pick.work().outputs().getFirst()));
        for (var member : region.members()) {
            for (int j = 0; j < member.made().size(); j++) {
                var v = member.made().get(j);
                if (read.contains(v))
                    stores.add(new Store(slot(region, member, j), member.work().outputs().get(j)));
            }
        }
        return stores;
    }

    /** The slot of output {@code j} of {@code member} if it must be in a register. */
    static Slot slot(Region region, Region.Member member, int j) {
        var v = member.made().get(j);
        return member.sliced()
                .map(s -> region.made(v, s.outputs().get(j), 0).slot())
                .orElse(Slot.whole(v));
    }

    /** Where a value is computed: in which method, and its slot if another method reads it. */
    private record Origin(int part, Slot slot) {}

    /** Values that one method computes and another reads. */
    private static Set<Slot> crossing(Region region, List<List<Region.Member>> parts) {
        var origins = new HashMap<Value, Origin>();
        var crossing = new LinkedHashSet<Slot>();
        for (int p = 0; p < parts.size(); p++) {
            for (var member : parts.get(p)) {
                for (Value v : member.work().node().inputs()) {
                    var origin = origins.get(v);
                    if (origin != null && origin.part() != p) crossing.add(origin.slot());
                }
                for (int j = 0; j < member.made().size(); j++)
                    origins.put(member.made().get(j), new Origin(p, slot(region, member, j)));
            }
        }
        return crossing;
    }
}
