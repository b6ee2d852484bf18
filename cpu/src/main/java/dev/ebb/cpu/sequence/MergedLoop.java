package dev.ebb.cpu.sequence;

import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Neighbouring computations of a sequence, merged into one loop along an axis that most of them
 * share: in each iteration every value is a scalar. For one block of iterations after the other,
 * operands are copied from memory to registers of the tile, the iterations are computed, and
 * results are copied back; rows gathered by an index are copied to registers too. If all iterations
 * fit in the registers at once, a computation without the loop axis may be included: it is
 * unrolled, between the loops that it depends on and those that depend on it.
 */
final class MergedLoop {
    /** The most elements of a value that is held in registers as a whole. */
    private static final long MOST_WHOLE = 1024;

    /** The most elements of a value per iteration if a block of iterations is in registers. */
    private static final long MOST_PER_ITERATION = 32;

    /** The same if all iterations are in registers at once. */
    private static final long MOST_AT_ONCE = 64;

    /**
     * One computation of the loop.
     *
     * @param sliced its computation in one iteration; empty if it is unrolled
     * @param level loops have even levels, unrolled computations odd ones; an operand is computed
     *     on the same level or a lower one
     */
    record Member(int number, Sequence.Work work, Optional<LoopSlice> sliced, int level) {
        List<Value> made() {
            return work.node().outputs().subList(0, work.outputs().size());
        }

        long functions() {
            return MergedLoop.functions(
                    sliced.isPresent() ? sliced.get().kernel() : work.node().kernel(),
                    work.node().inputTypes(),
                    made().stream().map(Value::type).toList());
        }
    }

    /** Rows that are gathered from memory before a block of iterations. */
    record GatheredRows(int number, Sequence.Work work, LoopSlice sliced, RegisterSlot slot) {}

    /** Where a value is computed: its level, and its rows if it is computed in a loop. */
    private record Made(int level, Optional<LoopSlice.Rows> rows) {}

    private final long n;
    private final boolean atOnce;
    private final List<Member> members = new ArrayList<>();
    private final Map<Value, Made> made = new HashMap<>();
    private final Map<RegisterSlot, Buffer> loads = new LinkedHashMap<>();
    private final List<GatheredRows> picks = new ArrayList<>();
    private final SortedMap<Integer, Sequence.Work> before = new TreeMap<>();
    private final SortedMap<Integer, Sequence.Work> constants = new TreeMap<>();

    /**
     * @param n the number of iterations
     * @param atOnce whether all iterations are in registers at once
     */
    MergedLoop(long n, boolean atOnce) {
        this.n = n;
        this.atOnce = atOnce;
    }

    long n() {
        return n;
    }

    boolean atOnce() {
        return atOnce;
    }

    List<Member> members() {
        return members;
    }

    /** One past the index of the last computation of this loop, or zero. */
    int end() {
        int end = 0;
        if (!members.isEmpty()) end = members.getLast().number + 1;
        if (!picks.isEmpty()) end = Math.max(end, picks.getLast().number + 1);
        return end;
    }

    /** The values read from memory, and their addresses. */
    Map<RegisterSlot, Buffer> loads() {
        return loads;
    }

    List<GatheredRows> picks() {
        return picks;
    }

    /**
     * Adds a computation if it can be merged with those before it; returns whether it was added.
     */
    boolean add(int number, Sequence.Work work) {
        if (work.node().outputs().stream().anyMatch(this::isUsed)) return false;
        if (work.node().kernel() instanceof Kernel.Gather) return !atOnce && pick(number, work);
        if (!atOnce && isConstant(work)) {
            constants.put(number, work);
            for (Value v : work.node().outputs()) made.put(v, new Made(0, Optional.empty()));
            return true;
        }
        if (!isHeld(work)) return false;
        for (var sliced : LoopSlice.of(work.node().kernel(), n))
            if (fits(work.node(), sliced, atOnce) && loop(number, work, sliced)) return true;
        return atOnce && UnrollLimits.bytes(work) >= 0 && whole(number, work);
    }

    /** Whether the results are a few constants, which are inlined where they are read. */
    private boolean isConstant(Sequence.Work work) {
        return work.node().kernel() instanceof Kernel.Map
                && work.node().inputs().stream().allMatch(v -> constant(v).isPresent())
                && UnrollLimits.bytes(work) >= 0;
    }

    /** The computation of a value that is the same in every run. */
    Optional<Sequence.Work> constant(Value value) {
        return constants.values().stream()
                .filter(w -> w.node().outputs().contains(value))
                .findFirst();
    }

    /** The indices of the computations whose values are the same in every run. */
    SortedMap<Integer, Sequence.Work> constants() {
        return constants;
    }

    /**
     * Whether a value was read or computed here before: if it is computed again, later readers see
     * the new one.
     */
    private boolean isUsed(Value value) {
        return made.containsKey(value)
                || loads.keySet().stream().anyMatch(slot -> slot.value().equals(value))
                || picks.stream().anyMatch(p -> p.work.node().inputs().contains(value));
    }

    /**
     * Moves a computation that cannot be part of this loop before it, if it reads nothing computed
     * here and writes no memory that is read here; returns whether it was moved.
     */
    boolean runBefore(int number, Sequence.Work work) {
        var node = work.node();
        if (atOnce
                || node.outputs().size() != work.outputs().size()
                || node.inputs().stream().anyMatch(made::containsKey)
                || node.outputs().stream().anyMatch(this::isUsed)) return false;
        if (!isClear(work)) return false;
        before.put(number, work);
        return true;
    }

    /** Whether {@code work} writes no memory that is read here. */
    boolean isClear(Sequence.Work work) {
        for (var to : work.outputs()) {
            if (loads.values().stream().anyMatch(from -> to.overlaps(from))) return false;
            for (var pick : picks)
                if (pick.work.inputs().stream().anyMatch(from -> to.overlaps(from))) return false;
        }
        return true;
    }

    /** The indices of the computations that run before this merged loop. */
    SortedMap<Integer, Sequence.Work> before() {
        return before;
    }

    private boolean pick(int number, Sequence.Work work) {
        var node = work.node();
        if (node.inputs().stream().anyMatch(made::containsKey)) return false;
        var type = node.outputTypes().getFirst().dtype();
        if (type != DType.F64 && type != DType.F32) return false;
        for (var sliced : LoopSlice.of(node.kernel(), n)) {
            if (!fits(node, sliced, false)) continue;
            var rows = sliced.outputs().getFirst();
            var value = node.outputs().getFirst();
            picks.add(new GatheredRows(number, work, sliced, row(value, rows, 0, 0).slot()));
            made.put(value, new Made(0, Optional.of(rows)));
            return true;
        }
        return false;
    }

    private static boolean isHeld(Sequence.Work work) {
        var types = new ArrayList<>(work.node().inputTypes());
        types.addAll(work.node().outputTypes().subList(0, work.outputs().size()));
        return types.stream().allMatch(t -> t.dtype() == DType.F64 || t.dtype() == DType.F32);
    }

    /** Whether an iteration of {@code node} is small enough to be unrolled. */
    static boolean fits(Node node, LoopSlice sliced, boolean atOnce) {
        long most = atOnce ? MOST_AT_ONCE : MOST_PER_ITERATION;
        if (sliced.outputs().stream().anyMatch(r -> r.size() == 0 || r.size() > most)) return false;
        if (sliced.kernel() instanceof Kernel.Fold k && k.shape().size() > most) return false;
        if (sliced.kernel() instanceof Kernel.Gather) return !atOnce;
        var out = node.outputTypes().subList(0, sliced.outputs().size());
        long functions = functions(sliced.kernel(), node.inputTypes(), out);
        return functions >= 0 && functions <= UnrollLimits.MOST_FUNCTIONS;
    }

    private static long functions(Kernel kernel, List<Type> in, List<Type> out) {
        return UnrollLimits.functions(
                kernel,
                in.stream().map(Type::dtype).toList(),
                out.stream().map(Type::dtype).toList());
    }

    private boolean loop(int number, Sequence.Work work, LoopSlice sliced) {
        int level = 0;
        var more = new LinkedHashMap<RegisterSlot, Buffer>();
        for (int i = 0; i < sliced.inputs().size(); i++) {
            var value = work.node().inputs().get(i);
            var from = made.get(value);
            if (from != null) level = Math.max(level, (from.level() + 1) / 2 * 2);
            for (long at : sliced.inputs().get(i).touched()) {
                var access = access(sliced.inputs().get(i), value, at);
                if (access.isEmpty()) return false;
                if (from == null) more.put(access.get().slot(), work.inputs().get(i));
            }
        }
        more.forEach(loads::putIfAbsent);
        var member = new Member(number, work, Optional.of(sliced), level);
        members.add(member);
        for (int j = 0; j < member.made().size(); j++)
            made.put(member.made().get(j), new Made(level, Optional.of(sliced.outputs().get(j))));
        return true;
    }

    private boolean whole(int number, Sequence.Work work) {
        int level = 1;
        for (Value v : work.node().inputs()) {
            if (v.type().size() > MOST_WHOLE) return false;
            var from = made.get(v);
            if (from != null) level = Math.max(level, from.level() / 2 * 2 + 1);
        }
        for (int i = 0; i < work.node().inputs().size(); i++) {
            var v = work.node().inputs().get(i);
            if (!made.containsKey(v))
                loads.putIfAbsent(RegisterSlot.whole(v), work.inputs().get(i));
        }
        var member = new Member(number, work, Optional.empty(), level);
        members.add(member);
        for (Value v : member.made()) made.put(v, new Made(level, Optional.empty()));
        return true;
    }

    /**
     * How iteration code addresses the element that an input has at {@code at} in iteration zero.
     */
    Optional<RegisterSlot.Access> access(LoopSlice.Input input, Value value, long at) {
        var from = Optional.ofNullable(made.get(value));
        long size = value.type().size();
        if (input.isSteady()) {
            boolean there = from.isPresent() ? from.get().rows().isEmpty() : size <= MOST_WHOLE;
            return there
                    ? Optional.of(
                            new RegisterSlot.Access(
                                    RegisterSlot.whole(value), 0, at, RegisterSlot.Move.NONE))
                    : Optional.empty();
        }
        long inner = input.inner();
        if (inner > 0 && size % (n * inner) == 0 && at % (n * inner) < inner) {
            var rows = new LoopSlice.Rows(size / (n * inner), inner);
            boolean there =
                    from.isPresent()
                            ? from.get().rows().equals(Optional.of(rows))
                            : atOnce ? size <= MOST_WHOLE : rows.size() <= MOST_PER_ITERATION;
            if (there) return Optional.of(row(value, rows, at / (n * inner), at % (n * inner)));
        }
        if (from.isPresent()) return Optional.empty();
        if (isWalked(size))
            return Optional.of(
                    new RegisterSlot.Access(
                            RegisterSlot.whole(value),
                            0,
                            at,
                            new RegisterSlot.Move.Walk(input.loop(), input.strides())));
        return Optional.of(column(value, input.loop(), new View(at, input.strides())));
    }

    /**
     * Whether a value is so small compared with the number of iterations that all of it is held in
     * registers, for many iterations.
     */
    private boolean isWalked(long size) {
        return !atOnce && size <= MOST_WHOLE && 4 * size <= n && n <= Integer.MAX_VALUE;
    }

    private RegisterSlot.Access row(Value value, LoopSlice.Rows rows, long outer, long first) {
        var step = new RegisterSlot.Move.Step(rows.inner());
        return atOnce
                ? new RegisterSlot.Access(
                        RegisterSlot.whole(value), 0, outer * n * rows.inner() + first, step)
                : new RegisterSlot.Access(
                        new RegisterSlot(
                                value, new RegisterSlot.Form.Rows(rows.outer(), rows.inner())),
                        outer,
                        first,
                        step);
    }

    private static RegisterSlot.Access column(Value value, Shape loop, View view) {
        return new RegisterSlot.Access(
                new RegisterSlot(value, new RegisterSlot.Form.Column(loop, view)),
                0,
                0,
                new RegisterSlot.Move.Step(1));
    }

    /**
     * How iteration code addresses element {@code j} of the row that a loop computes of {@code
     * value}.
     */
    RegisterSlot.Access made(Value value, LoopSlice.Rows rows, long j) {
        return row(value, rows, j / rows.inner(), j % rows.inner());
    }
}
