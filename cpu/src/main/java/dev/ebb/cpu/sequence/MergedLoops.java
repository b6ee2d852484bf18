package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
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
 * Splits a sequence into {@link MergedLoop}s and computations that are not merged. Two kinds of
 * sequences gain: many computations on the same short vectors, such as an iteration of a recurrent
 * network, with all vectors in registers at once; and small functions mapped over many examples, a
 * block of examples at a time.
 */
final class MergedLoops {
    /** With fewer iterations the loop is unrolled instead. */
    private static final long FEWEST = 4;

    /** The most iterations that are all in registers at once. */
    private static final long MOST_AT_ONCE = 64;

    /** From this number of iterations on, a program gets registers for blocks of iterations. */
    private static final long MANY = 1024;

    /** From this number on, iterations are computed in blocks, if there are enough registers. */
    private static final long SOME = 256;

    /** Rows of fewer elements are slow as kernels, if operands repeat along them. */
    private static final int SHORT = 32;

    /** Up to this number of instructions per element, a body is arithmetic without functions. */
    private static final int CHEAP = 12;

    /** From this number of elements on, a loop is compiled before the first run. */
    private static final long LARGE = 1 << 21;

    /** The most loop lengths that are tried for blocks of examples. */
    private static final int MOST_LOOPS = 4;

    /** The most computations between two of a merged loop that are not part of it. */
    private static final int MOST_APART = 16;

    /** From this number of computations on, a merged loop with all iterations at once pays. */
    private static final int ENOUGH = 8;

    private final Sequence sequence;
    private final Tiles tiles;
    private final WorkerGroup workers;
    private final boolean delivering;
    private final List<Runnable> pieces = new ArrayList<>();
    private int together;

    /**
     * Whether a result would overwrite memory that is still to be read, unless it is written to its
     * own array.
     */
    private boolean mustDeliver;

    private MergedLoops(Sequence sequence, WorkerGroup workers, Tiles tiles, boolean delivering) {
        this.sequence = sequence;
        this.workers = workers;
        this.tiles = tiles;
        this.delivering = delivering;
    }

    /** The sequence split into merged loops, if these cover most of it or save many small moves. */
    static Optional<CompiledSequence> of(Sequence sequence, WorkerGroup workers, Tiles tiles) {
        var nodes = sequence.works().stream().map(Sequence.Work::node).toList();
        var iterations = iterations(nodes, MANY);
        if (iterations.isEmpty()) return Optional.empty();
        boolean atOnce = iterations.getFirst() <= MOST_AT_ONCE;
        var all = new MergedLoops(sequence, workers, tiles, true);
        if (atOnce && !all.isThere(values(nodes), 1)) return Optional.empty();
        var loops = atOnce ? iterations.subList(0, 1) : some(iterations(nodes, SOME));
        all.cut(loops, atOnce);
        boolean enough =
                atOnce
                        ? all.together >= ENOUGH && 4 * all.together >= 3 * nodes.size()
                        : all.together > 0;
        if (!enough) return Optional.empty();
        if (!all.mustDeliver)
            return Optional.of(new MergedSteps(all.pieces, sequence, () -> all.pieces));
        return Optional.of(
                new MergedSteps(
                        all.pieces,
                        sequence,
                        () -> {
                            var plain = new MergedLoops(sequence, workers, tiles, false);
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

    private static List<Long> some(List<Long> iterations) {
        return iterations.stream().filter(n -> n >= SOME).limit(MOST_LOOPS).toList();
    }

    /**
     * The candidate loop lengths. First the length with which most elements can be computed in
     * loops; among equals the smallest, whose iterations do the most work.
     */
    private static List<Long> iterations(List<Node> nodes, long many) {
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

    /** The loop lengths: for all iterations at once, or at least a given number. */
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
                    Kernel.Opaque _ -> {}
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

    /** Splits by the first of these loop lengths whose merged loop pays. */
    private void cut(List<Long> iterations, boolean atOnce) {
        int at = 0;
        while (at < sequence.works().size()) {
            int end = at;
            Optional<MergedLoopForm> found = Optional.empty();
            for (int i = 0; i < iterations.size() && found.isEmpty(); i++) {
                var form = mergedLoop(iterations.get(i), atOnce, at);
                if (form.isEmpty()) continue;
                int taken = form.get().end();
                if (pays(form.get().merged())) found = form;
                end = found.isPresent() ? taken : Math.max(end, taken);
            }
            end = Math.max(end, at + 1);
            if (found.isPresent()) {
                for (var work : found.get().before(sequence).values()) pieces.add(work.body());
                pieces.add(
                        new MergedLoopRun(
                                found.get(), MergedLoopCode.make(found.get()), workers, tiles));
                together += end - at;
            } else {
                for (int i = at; i < end; i++) pieces.add(sequence.works().get(i).body());
            }
            at = end;
        }
    }

    /** The computations from {@code from} on that can be merged; empty if there are none. */
    private Optional<MergedLoopForm> mergedLoop(long n, boolean atOnce, int from) {
        int end = sequence.works().size();
        while (end > from) {
            var merged = mergedLoop(n, atOnce, from, end);
            int taken = merged.end();
            if (taken == 0) return Optional.empty();
            var form = MergedLoopForm.of(merged, sequence);
            boolean fits = form.iterations() > 0 && isThere(form);
            end = fits ? safe(form, mixed(form, taken)) : from + (taken - from) / 2;
            if (end == taken) return Optional.of(form);
        }
        return Optional.empty();
    }

    private MergedLoop mergedLoop(long n, boolean atOnce, int from, int end) {
        var merged = new MergedLoop(n, atOnce);
        int apart = 0;
        for (int i = from; i < end && apart < MOST_APART; i++) {
            var work = sequence.works().get(i);
            if (merged.add(i, work)) apart = 0;
            else if (merged.end() > 0 && merged.runBefore(i, work)) apart++;
            else break;
        }
        merged.before().tailMap(merged.end()).clear();
        merged.constants().tailMap(merged.end()).clear();
        return merged;
    }

    private boolean isThere(MergedLoopForm form) {
        var f64 = KernelScratch.NOTHING.and(ScratchArray.F64, form.doubles());
        var scratch = f64.and(ScratchArray.F32, form.floats());
        return isThere(scratch, Math.ceilDiv(form.merged().n(), MergedLoopRun.SHARE));
    }

    /** Whether the workers that share this number of parts have enough registers. */
    private boolean isThere(KernelScratch scratch, long parts) {
        for (int i = 0; i < Math.min(parts, workers.threads()); i++) {
            var has = tiles.scratch().worker(i);
            if (has.of(ScratchArray.F64) < scratch.of(ScratchArray.F64)
                    || has.of(ScratchArray.F32) < scratch.of(ScratchArray.F32)) return false;
        }
        return true;
    }

    /**
     * With blocks of iterations, the first blocks are written before others are read, so no memory
     * that is read or written may overlap with memory that something else writes. Returns the first
     * computation that violates this, or {@code end}.
     */
    private int safe(MergedLoopForm form, int end) {
        if (form.merged().atOnce()) return end;
        Set<Integer> apart = delivering ? DirectResults.of(form, sequence).keySet() : Set.of();
        for (int s = 0; s < form.stores().size(); s++) {
            var store = form.stores().get(s);
            boolean clear = true;
            for (var load : form.merged().loads().entrySet())
                clear &= isClear(store, load.getKey(), load.getValue());
            for (var pick : form.merged().picks())
                for (var from : pick.work().inputs()) clear &= !store.to().overlaps(from);
            for (var other : form.stores().subList(0, s)) clear &= !store.to().overlaps(other.to());
            if (!clear && !apart.contains(s)) return writer(form, store);
            mustDeliver |= !clear;
        }
        return end;
    }

    /** The first constant that cannot be computed before all of {@code form}, or {@code end}. */
    private int mixed(MergedLoopForm form, int end) {
        for (var before : form.before(sequence).entrySet())
            if (form.merged().constants().containsKey(before.getKey())
                    && !form.merged().isClear(before.getValue())) return before.getKey();
        return end;
    }

    private static int writer(MergedLoopForm form, MergedLoopForm.Store store) {
        for (var member : form.merged().members())
            if (member.made().contains(store.slot().value())) return member.number();
        for (var pick : form.merged().picks())
            if (pick.slot().equals(store.slot())) return pick.number();
        throw new IllegalStateException("nothing makes " + store.slot());
    }

    private static boolean isClear(MergedLoopForm.Store store, RegisterSlot slot, Buffer from) {
        if (!store.to().overlaps(from)) return true;
        return slot.form().equals(store.slot().form())
                && from.memory().address() == store.to().memory().address()
                && from.dtype() == store.to().dtype();
    }

    /**
     * Whether merging pays: plain maps over many examples are as fast as single kernels; short rows
     * and small moves are slower as kernels.
     */
    private static boolean pays(MergedLoop merged) {
        if (merged.atOnce()) return merged.members().size() >= 2;
        long awkward = merged.members().stream().filter(m -> isSlow(m.work().node())).count();
        awkward += merged.picks().size();
        return !merged.members().isEmpty() && 4 * awkward >= merged.members().size();
    }

    /** Whether a kernel is slower than a merged loop; functions are faster as vector kernels. */
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
                    Kernel.Opaque _ ->
                    false;
        };
    }

    /** The registers that a program with {@code node} gets for blocks of examples. */
    static KernelScratch scratch(Node node) {
        var type = node.outputs().isEmpty() ? DType.BIT : node.outputTypes().getFirst().dtype();
        if (!isAwkward(node) || (type != DType.F64 && type != DType.F32))
            return KernelScratch.NOTHING;
        long most = 0;
        for (long n : candidates(node, MANY))
            if (n >= MANY && isSmall(node, n)) most = Math.max(most, n);
        if (most == 0) return KernelScratch.NOTHING;
        var array = type == DType.F64 ? ScratchArray.F64 : ScratchArray.F32;
        return KernelScratch.shared(Math.ceilDiv(most, MergedLoopRun.SHARE))
                .and(ScratchArray.WALKS, 1)
                .and(array, MergedLoopForm.MOST_REGISTERS);
    }

    private static boolean isSmall(Node node, long n) {
        return LoopSlice.of(node.kernel(), n).stream()
                .anyMatch(s -> MergedLoop.fits(node, s, n <= MOST_AT_ONCE));
    }

    /** The registers that a loop with {@code body} gets for all its vectors. */
    static KernelScratch scratch(Graph body) {
        var iterations = iterations(body.nodes(), MANY);
        return body.nodes().size() < ENOUGH
                        || iterations.isEmpty()
                        || iterations.getFirst() > MOST_AT_ONCE
                ? KernelScratch.NOTHING
                : values(body.nodes());
    }

    /** Registers for all values that {@code nodes} read and compute, up to the maximum. */
    private static KernelScratch values(List<Node> nodes) {
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
        return KernelScratch.NOTHING
                .and(ScratchArray.F64, (int) Math.min(doubles, MergedLoopForm.MOST_REGISTERS))
                .and(ScratchArray.F32, (int) Math.min(floats, MergedLoopForm.MOST_REGISTERS));
    }
}
