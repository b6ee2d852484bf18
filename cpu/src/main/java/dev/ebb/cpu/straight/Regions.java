package dev.ebb.cpu.straight;

import dev.ebb.cpu.tile.Bank;
import dev.ebb.cpu.tile.Need;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.Crew;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Splits a sequence into {@link Region}s and computations that stay as they are. Two kinds of
 * sequences gain: many computations on the same short vectors, such as a round of a recurrent
 * network, with all vectors in registers at once; and small functions mapped over many examples, a
 * block of examples at a time.
 */
final class Regions {
    /** With fewer rounds the loop is unrolled instead. */
    private static final long FEWEST = 4;

    /** The most rounds for which all are in registers at once. */
    private static final long MOST_AT_ONCE = 64;

    /** From this number of rounds on, a program gets registers for blocks of rounds. */
    private static final long MANY = 1024;

    /**
     * From this number of rounds on, they are computed in blocks, if the program has the registers.
     */
    private static final long SOME = 256;

    /** Rows of fewer elements are slow as kernels, if operands repeat along them. */
    private static final int SHORT = 32;

    /**
     * Up to this number of instructions per element, a body is plain arithmetic without functions.
     */
    private static final int CHEAP = 12;

    /** From this number of elements on, a loop is compiled before the first run. */
    private static final long LARGE = 1 << 21;

    /** The most loop lengths that are tried for blocks of examples. */
    private static final int MOST_LOOPS = 4;

    /** The most computations between two of a region that take no part in it. */
    private static final int MOST_APART = 16;

    /** From this number of computations on, a region with all rounds at once pays. */
    private static final int ENOUGH = 8;

    private final Sequence sequence;
    private final Tiles tiles;
    private final Crew workers;
    private final boolean delivering;
    private final List<Runnable> pieces = new ArrayList<>();
    private int together;

    /**
     * Whether a result would overwrite memory that is still to be read, unless it is written to its
     * own array.
     */
    private boolean mustDeliver;

    private Regions(Sequence sequence, Crew workers, Tiles tiles, boolean delivering) {
        this.sequence = sequence;
        this.workers = workers;
        this.tiles = tiles;
        this.delivering = delivering;
    }

    /** {@code sequence} split into regions, if they cover most of it or save many small moves. */
    static Optional<CompiledSequence> of(Sequence sequence, Crew workers, Tiles tiles) {
        var nodes = sequence.works().stream().map(Sequence.Work::node).toList();
        var rounds = rounds(nodes, MANY);
        if (rounds.isEmpty()) return Optional.empty();
        boolean atOnce = rounds.getFirst() <= MOST_AT_ONCE;
        var all = new Regions(sequence, workers, tiles, true);
        if (atOnce && !all.isThere(values(nodes), 1)) return Optional.empty();
        var loops = atOnce ? rounds.subList(0, 1) : some(rounds(nodes, SOME));
        all.cut(loops, atOnce);
        boolean enough =
                atOnce
                        ? all.together >= ENOUGH && 4 * all.together >= 3 * nodes.size()
                        : all.together > 0;
        if (!enough) return Optional.empty();
        if (!all.mustDeliver)
            return Optional.of(new RegionSteps(all.pieces, sequence, () -> all.pieces));
        return Optional.of(
                new RegionSteps(
                        all.pieces,
                        sequence,
                        () -> {
                            var plain = new Regions(sequence, workers, tiles, false);
                            plain.cut(loops, atOnce);
                            return plain.pieces;
                        }));
    }

    /** Whether loops over examples compute enough elements to pay from the first run on. */
    static boolean isLarge(List<Node> nodes) {
        long elements = 0;
        for (Node node : nodes)
            if ((isAwkward(node) || node.kernel() instanceof Kernel.Gather)
                    && candidates(node, MANY).stream().anyMatch(n -> n >= MANY && isSmall(node, n)))
                elements += walked(node);
        return elements >= LARGE;
    }

    private static List<Long> some(List<Long> rounds) {
        return rounds.stream().filter(n -> n >= SOME).limit(MOST_LOOPS).toList();
    }

    /**
     * The candidate loop lengths, first that by which most elements can be computed; among equals
     * the smallest, whose rounds do the most work.
     */
    private static List<Long> rounds(List<Node> nodes, long many) {
        var elements = new TreeMap<Long, Long>();
        for (Node node : nodes)
            for (long n : candidates(node, many))
                if (isSmall(node, n)) elements.merge(n, walked(node), Long::sum);
        return elements.entrySet().stream()
                .filter(e -> e.getValue() > 0)
                .sorted(Map.Entry.<Long, Long>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static long walked(Node node) {
        return node.kernel() instanceof Kernel.Fold k
                ? k.shape().size()
                : node.outputs().stream().mapToLong(v -> v.type().size()).sum();
    }

    /** The loop lengths: for all rounds at once, or at least a given number. */
    private static Set<Long> candidates(Node node, long many) {
        var found = new HashSet<Long>();
        switch (node.kernel()) {
            case Kernel.Map k -> blocks(k.shape(), found);
            case Kernel.Fold k -> blocks(k.shape(), found);
            case Kernel.Contract k -> blocks(k.batch(), found);
            case Kernel.Assemble k -> blocks(k.shape(), found);
            case Kernel.Cut k -> {
                found.add((long) k.outer());
                found.add((long) k.inner());
            }
            case Kernel.Gather k -> blocks(k.shape(), found);
            case Kernel.Rows _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    DecodingContract _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Library _,
                    dev.ebb.ir.Control _ -> {}
        }
        found.removeIf(n -> n < FEWEST || (n > MOST_AT_ONCE && n < many));
        return found;
    }

    /** Single axes, and the first few together. */
    private static void blocks(Shape shape, Set<Long> into) {
        long together = 1;
        for (int d : shape.dims()) {
            into.add((long) d);
            into.add(together *= d);
        }
    }

    /** Splits by the first of these loop lengths whose region pays. */
    private void cut(List<Long> rounds, boolean atOnce) {
        int at = 0;
        while (at < sequence.works().size()) {
            int end = at;
            Optional<RegionParts> found = Optional.empty();
            for (int i = 0; i < rounds.size() && found.isEmpty(); i++) {
                var form = region(rounds.get(i), atOnce, at);
                if (form.isEmpty()) continue;
                int taken = form.get().end();
                if (pays(form.get().region())) found = form;
                end = found.isPresent() ? taken : Math.max(end, taken);
            }
            end = Math.max(end, at + 1);
            if (found.isPresent()) {
                for (var work : found.get().before(sequence).values()) pieces.add(work.body());
                pieces.add(
                        new RegionRun(found.get(), RegionCode.make(found.get()), workers, tiles));
                together += end - at;
            } else {
                for (int i = at; i < end; i++) pieces.add(sequence.works().get(i).body());
            }
            at = end;
        }
    }

    /** The works from {@code from} on that can be merged, if there are any. */
    private Optional<RegionParts> region(long n, boolean atOnce, int from) {
        int end = sequence.works().size();
        while (end > from) {
            var region = region(n, atOnce, from, end);
            int taken = region.end();
            if (taken == 0) return Optional.empty();
            var form = RegionParts.of(region, sequence);
            boolean fits = form.rounds() > 0 && isThere(form);
            end = fits ? safe(form, mixed(form, taken)) : from + (taken - from) / 2;
            if (end == taken) return Optional.of(form);
        }
        return Optional.empty();
    }

    private Region region(long n, boolean atOnce, int from, int end) {
        var region = new Region(n, atOnce);
        int apart = 0;
        for (int i = from; i < end && apart < MOST_APART; i++) {
            var work = sequence.works().get(i);
            if (region.add(i, work)) apart = 0;
            else if (region.end() > 0 && region.runBefore(i, work)) apart++;
            else break;
        }
        region.before().tailMap(region.end()).clear();
        region.constants().tailMap(region.end()).clear();
        return region;
    }

    private boolean isThere(RegionParts form) {
        var need = Need.NOTHING.and(Bank.F64, form.doubles()).and(Bank.F32, form.floats());
        return isThere(need, Math.ceilDiv(form.region().n(), RegionRun.SHARE));
    }

    /** Whether the workers that share this number of parts have these registers. */
    private boolean isThere(Need need, long parts) {
        for (int i = 0; i < Math.min(parts, workers.threads()); i++) {
            var has = tiles.needs().worker(i);
            if (has.of(Bank.F64) < need.of(Bank.F64) || has.of(Bank.F32) < need.of(Bank.F32))
                return false;
        }
        return true;
    }

    /**
     * With blocks of rounds, some are written before others are read, so no memory that is read or
     * written may overlap with memory that something else writes. Returns the first computation
     * that violates this, or {@code end}.
     */
    private int safe(RegionParts form, int end) {
        if (form.region().atOnce()) return end;
        Set<Integer> apart = delivering ? Deliveries.of(form, sequence).keySet() : Set.of();
        for (int s = 0; s < form.stores().size(); s++) {
            var store = form.stores().get(s);
            boolean clear = true;
            for (var load : form.region().loads().entrySet())
                clear &= isClear(store, load.getKey(), load.getValue());
            for (var pick : form.region().picks())
                for (var from : pick.work().inputs()) clear &= !store.to().overlaps(from);
            for (var other : form.stores().subList(0, s)) clear &= !store.to().overlaps(other.to());
            if (!clear && !apart.contains(s)) return writer(form, store);
            mustDeliver |= !clear;
        }
        return end;
    }

    /** The first constant that cannot be computed before all of {@code form}, or {@code end}. */
    private int mixed(RegionParts form, int end) {
        for (var before : form.before(sequence).entrySet())
            if (form.region().constants().containsKey(before.getKey())
                    && !form.region().isClear(before.getValue())) return before.getKey();
        return end;
    }

    private static int writer(RegionParts form, RegionParts.Store store) {
        for (var member : form.region().members())
            if (member.made().contains(store.slot().value())) return member.number();
        for (var pick : form.region().picks())
            if (pick.slot().equals(store.slot())) return pick.number();
        throw new IllegalStateException("nothing makes " + store.slot());
    }

    private static boolean isClear(RegionParts.Store store, Slot slot, Buffer from) {
        if (!store.to().overlaps(from)) return true;
        return slot.form().equals(store.slot().form())
                && from.memory().address() == store.to().memory().address()
                && from.dtype() == store.to().dtype();
    }

    /**
     * Whether a region pays: plain maps over many examples are as fast as single kernels, short
     * rows and small moves are not.
     */
    private static boolean pays(Region region) {
        if (region.atOnce()) return region.members().size() >= 2;
        long awkward = region.members().stream().filter(m -> isSlow(m.work().node())).count();
        awkward += region.picks().size();
        return !region.members().isEmpty() && 4 * awkward >= region.members().size();
    }

    /**
     * Whether a kernel is slower than the merged loop; scalar functions are faster as vector
     * kernels.
     */
    private static boolean isSlow(Node node) {
        return isAwkward(node)
                || node.kernel() instanceof Kernel.Map k
                        && isBroadcast(k, SHORT)
                        && Scalar.cost(k.bodies()) <= CHEAP;
    }

    /** Whether operands are broadcast along rows of fewer than {@code most} elements. */
    private static boolean isBroadcast(Kernel.Map k, int most) {
        return k.shape().rank() > 0
                && k.shape().dims().getLast() < most
                && !k.operands().stream().allMatch(v -> v.isContiguous(k.shape()));
    }

    private static boolean isAwkward(Node node) {
        return switch (node.kernel()) {
            case Kernel.Fold _, Kernel.Contract _, Kernel.Assemble _, Kernel.Cut _ -> true;
            case Kernel.Map k -> isBroadcast(k, (int) FEWEST);
            case Kernel.Rows _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    DecodingContract _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Library _,
                    dev.ebb.ir.Control _ ->
                    false;
        };
    }

    /** The registers that a program with {@code node} gets for blocks of examples. */
    static Need need(Node node) {
        var type = node.outputs().isEmpty() ? DType.BIT : node.outputTypes().getFirst().dtype();
        if (!isAwkward(node) || (type != DType.F64 && type != DType.F32)) return Need.NOTHING;
        long most = 0;
        for (long n : candidates(node, MANY))
            if (n >= MANY && isSmall(node, n)) most = Math.max(most, n);
        if (most == 0) return Need.NOTHING;
        return Need.shared(Math.ceilDiv(most, RegionRun.SHARE))
                .and(Bank.WALKS, 1)
                .and(type == DType.F64 ? Bank.F64 : Bank.F32, RegionParts.MOST_REGISTERS);
    }

    private static boolean isSmall(Node node, long n) {
        return Sliced.of(node.kernel(), n).stream()
                .anyMatch(s -> Region.fits(node, s, n <= MOST_AT_ONCE));
    }

    /** The registers that a loop with {@code body} gets for all its vectors. */
    static Need need(Graph body) {
        var rounds = rounds(body.nodes(), MANY);
        return body.nodes().size() < ENOUGH || rounds.isEmpty() || rounds.getFirst() > MOST_AT_ONCE
                ? Need.NOTHING
                : values(body.nodes());
    }

    /** Registers for all that {@code nodes} read and make, up to the most there are. */
    private static Need values(List<Node> nodes) {
        var values = new HashSet<Value>();
        for (Node node : nodes) {
            values.addAll(node.inputs());
            values.addAll(node.outputs());
        }
        long doubles = 0;
        long floats = 0;
        for (Value v : values) {
            if (v.type().dtype() == DType.F64) doubles += v.type().size();
            if (v.type().dtype() == DType.F32) floats += v.type().size();
        }
        return Need.NOTHING
                .and(Bank.F64, (int) Math.min(doubles, RegionParts.MOST_REGISTERS))
                .and(Bank.F32, (int) Math.min(floats, RegionParts.MOST_REGISTERS));
    }
}
