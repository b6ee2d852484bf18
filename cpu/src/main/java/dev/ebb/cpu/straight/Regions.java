package dev.ebb.cpu.straight;

import dev.ebb.cpu.tile.Bank;
import dev.ebb.cpu.tile.Need;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.Crew;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Decoded;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Cuts a sequence into {@link Region}s and what is run as it is. There are two kinds of sequences
 * that gain by it: many computations on the same short vectors, such as a round of a recurrent
 * network, all of whose vectors are in registers at once; and small functions mapped over many
 * examples, where a few examples at a time are.
 */
final class Regions {
    /** Fewer rounds are written out. */
    private static final long FEWEST = 4;

    /** So many rounds are at hand at once at most. */
    private static final long MOST_AT_ONCE = 64;

    /** From so many rounds on they are taken some at a time. */
    private static final long MANY = 1024;

    /** From so many computations on a region at once pays. */
    private static final int ENOUGH = 8;

    private final Sequence sequence;
    private final Tiles tiles;
    private final Crew workers;
    private final List<Runnable> pieces = new ArrayList<>();
    private int together;

    private Regions(Sequence sequence, Crew workers, Tiles tiles) {
        this.sequence = sequence;
        this.workers = workers;
        this.tiles = tiles;
    }

    /** {@code sequence} in regions, if these are most of it, or spare many small moves. */
    static Optional<Runnable> of(Sequence sequence, Crew workers, Tiles tiles) {
        var nodes = sequence.works().stream().map(Sequence.Work::node).toList();
        long n = rounds(nodes);
        if (n == 0) return Optional.empty();
        var all = new Regions(sequence, workers, tiles);
        if (n <= MOST_AT_ONCE && !all.isThere(values(nodes), 1)) return Optional.empty();
        all.cut(n, n <= MOST_AT_ONCE);
        boolean enough =
                n <= MOST_AT_ONCE
                        ? all.together >= ENOUGH && 4 * all.together >= 3 * nodes.size()
                        : all.together > 0;
        if (!enough) return Optional.empty();
        var steps = all.pieces.toArray(Runnable[]::new);
        return Optional.of(
                () -> {
                    for (var step : steps) step.run();
                });
    }

    /**
     * The number of rounds of the loop by which most elements can be computed; of several the
     * least, whose rounds have the most to do.
     */
    private static long rounds(List<Node> nodes) {
        var elements = new TreeMap<Long, Long>();
        for (Node node : nodes)
            for (long n : candidates(node))
                if (isSmall(node, n)) elements.merge(n, walked(node), Long::sum);
        long best = 0;
        long most = 0;
        for (var entry : elements.entrySet()) {
            if (entry.getValue() <= most) continue;
            most = entry.getValue();
            best = entry.getKey();
        }
        return best;
    }

    private static long walked(Node node) {
        return node.kernel() instanceof Kernel.Fold k
                ? k.shape().size()
                : node.outputs().stream().mapToLong(v -> v.type().size()).sum();
    }

    private static Set<Long> candidates(Node node) {
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
            case Kernel.Rows _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Decoded _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Library _,
                    dev.ebb.ir.Control _ -> {}
        }
        found.removeIf(n -> n < FEWEST || (n > MOST_AT_ONCE && n < MANY));
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

    private void cut(long n, boolean atOnce) {
        int at = 0;
        while (at < sequence.works().size()) {
            var region = new Region(n, atOnce);
            int end = at;
            while (end < sequence.works().size() && region.add(end, sequence.works().get(end)))
                end++;
            int taken = region(region, at, end);
            if (taken == at) pieces.add(sequence.works().get(taken++).body());
            at = taken;
        }
    }

    /** Runs the first of works {@code from} to {@code to} together if they may; where they end. */
    private int region(Region whole, int from, int to) {
        var region = whole;
        int end = to;
        while (end > from) {
            var form = RegionParts.of(region, sequence);
            boolean fits = form.rounds() > 0 && isThere(form);
            int safe = fits ? safe(form, end) : from + (end - from) / 2;
            if (safe == end) {
                add(region, form, from, end);
                return end;
            }
            end = safe;
            region = new Region(whole.n(), whole.atOnce());
            for (int i = from; i < end; i++) region.add(i, sequence.works().get(i));
        }
        return from;
    }

    private void add(Region region, RegionParts form, int from, int end) {
        if (pays(region)) {
            pieces.add(new RegionRun(form, RegionCode.make(form), workers, tiles));
            together += end - from;
        } else {
            for (int i = from; i < end; i++) pieces.add(sequence.works().get(i).body());
        }
    }

    private boolean isThere(RegionParts form) {
        var need = Need.NOTHING.and(Bank.F64, form.doubles()).and(Bank.F32, form.floats());
        return isThere(need, Math.ceilDiv(form.region().n(), RegionRun.SHARE));
    }

    /** Whether the workers that have one of so many parts have these registers. */
    private boolean isThere(Need need, long parts) {
        for (int i = 0; i < Math.min(parts, workers.threads()); i++) {
            var has = tiles.needs().worker(i);
            if (has.of(Bank.F64) < need.of(Bank.F64) || has.of(Bank.F32) < need.of(Bank.F32))
                return false;
        }
        return true;
    }

    /**
     * Where some rounds are written before others are read, nothing that is read or written may lie
     * where something else is written: the first computation that does not hold to this, or {@code
     * end}.
     */
    private static int safe(RegionParts form, int end) {
        if (form.region().atOnce()) return end;
        for (int s = 0; s < form.stores().size(); s++) {
            var store = form.stores().get(s);
            boolean clear = true;
            for (var load : form.region().loads().entrySet())
                clear &= isClear(store, load.getKey(), load.getValue());
            for (var other : form.stores().subList(0, s)) clear &= !overlap(store.to(), other.to());
            if (!clear) return writer(form, store);
        }
        return end;
    }

    private static int writer(RegionParts form, RegionParts.Store store) {
        for (var member : form.region().members())
            if (member.made().contains(store.slot().value())) return member.number();
        throw new IllegalStateException("nothing makes " + store.slot());
    }

    private static boolean isClear(RegionParts.Store store, Slot slot, Buffer from) {
        if (!overlap(store.to(), from)) return true;
        return slot.form().equals(store.slot().form())
                && from.memory().address() == store.to().memory().address()
                && from.dtype() == store.to().dtype();
    }

    private static boolean overlap(Buffer a, Buffer b) {
        long x = a.memory().address();
        long y = b.memory().address();
        return x < y + b.bytes() && y < x + a.bytes();
    }

    /**
     * Whether a region is worth it: plain maps over many examples are as fast one by one, short
     * rows and small moves are not.
     */
    private static boolean pays(Region region) {
        if (region.atOnce()) return region.members().size() >= 2;
        long awkward = region.members().stream().filter(m -> isAwkward(m.work().node())).count();
        return 4 * awkward >= region.members().size();
    }

    private static boolean isAwkward(Node node) {
        return switch (node.kernel()) {
            case Kernel.Fold _, Kernel.Contract _, Kernel.Assemble _, Kernel.Cut _ -> true;
            case Kernel.Map k ->
                    k.shape().rank() > 0
                            && k.shape().dims().getLast() < FEWEST
                            && !k.operands().stream().allMatch(v -> v.isContiguous(k.shape()));
            case Kernel.Rows _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Decoded _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Library _,
                    dev.ebb.ir.Control _ ->
                    false;
        };
    }

    /** The registers that a program with {@code node} has for examples taken some at a time. */
    static Need need(Node node) {
        var type = node.outputs().isEmpty() ? DType.BIT : node.outputTypes().getFirst().dtype();
        if (!isAwkward(node) || (type != DType.F64 && type != DType.F32)) return Need.NOTHING;
        long most = 0;
        for (long n : candidates(node)) if (n >= MANY && isSmall(node, n)) most = Math.max(most, n);
        if (most == 0) return Need.NOTHING;
        return Need.shared(Math.ceilDiv(most, RegionRun.SHARE))
                .and(type == DType.F64 ? Bank.F64 : Bank.F32, RegionParts.MOST_REGISTERS);
    }

    private static boolean isSmall(Node node, long n) {
        return Sliced.of(node.kernel(), n).stream()
                .anyMatch(s -> Region.fits(node, s, n <= MOST_AT_ONCE));
    }

    /** The registers that the rounds of a loop with {@code body} have for all its vectors. */
    static Need need(Graph body) {
        long n = rounds(body.nodes());
        return body.nodes().size() < ENOUGH || n == 0 || n > MOST_AT_ONCE
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
