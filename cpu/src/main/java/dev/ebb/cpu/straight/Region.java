package dev.ebb.cpu.straight;

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

/**
 * Neighbouring computations of a sequence that are run together, round by round of a loop that most
 * of them have in common: in each round every number is a scalar. What is read from memory is read
 * before all rounds at hand, and what is written to it is written after them, from and to registers
 * of the tile. Where all rounds are at hand at once, a computation without the loop may take part:
 * it is written out whole, between the loops that it waits for and those that wait for it.
 */
final class Region {
    /** The most elements of a value that is held whole. */
    private static final long MOST_WHOLE = 1024;

    /** The most numbers of a value that one of many rounds holds. */
    private static final long MOST_A_ROUND = 32;

    /** The same where all rounds are at hand at once. */
    private static final long MOST_AT_ONCE = 64;

    /**
     * One computation.
     *
     * @param sliced what it does in a round; none if it is written out whole
     * @param level loops have even levels, the others odd ones; what is read is made on the same
     *     level or a lower one
     */
    record Member(int number, Sequence.Work work, Optional<Sliced> sliced, int level) {
        List<Value> made() {
            return work.node().outputs().subList(0, work.outputs().size());
        }

        long functions() {
            return Region.functions(
                    sliced.isPresent() ? sliced.get().kernel() : work.node().kernel(),
                    work.node().inputTypes(),
                    made().stream().map(Value::type).toList());
        }
    }

    /** How a value is made here: on which level, and as which rows if in a loop. */
    private record Made(int level, Optional<Sliced.Rows> rows) {}

    private final long n;
    private final boolean atOnce;
    private final List<Member> members = new ArrayList<>();
    private final Map<Value, Made> made = new HashMap<>();
    private final Map<Slot, Buffer> loads = new LinkedHashMap<>();

    /**
     * @param n the rounds of the loop
     * @param atOnce whether all rounds are at hand at once
     */
    Region(long n, boolean atOnce) {
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

    /** What is read from memory, and from where. */
    Map<Slot, Buffer> loads() {
        return loads;
    }

    /** Adds a computation if it can be run together with those before it. */
    boolean add(int number, Sequence.Work work) {
        if (!isHeld(work)) return false;
        // what was read from memory, or made here, before it is made again is left to the next
        var again = work.node().outputs();
        if (again.stream().anyMatch(made::containsKey)
                || loads.keySet().stream().anyMatch(slot -> again.contains(slot.value())))
            return false;
        for (var sliced : Sliced.of(work.node().kernel(), n))
            if (fits(work.node(), sliced, atOnce) && loop(number, work, sliced)) return true;
        return atOnce && Fitting.bytes(work) >= 0 && whole(number, work);
    }

    private static boolean isHeld(Sequence.Work work) {
        var types = new ArrayList<>(work.node().inputTypes());
        types.addAll(work.node().outputTypes().subList(0, work.outputs().size()));
        return types.stream().allMatch(t -> t.dtype() == DType.F64 || t.dtype() == DType.F32);
    }

    /** Whether a round of {@code node} has little enough to do to be written out. */
    static boolean fits(Node node, Sliced sliced, boolean atOnce) {
        long most = atOnce ? MOST_AT_ONCE : MOST_A_ROUND;
        if (sliced.outputs().stream().anyMatch(r -> r.size() > most)) return false;
        if (sliced.kernel() instanceof Kernel.Fold k && k.shape().size() > most) return false;
        var out = node.outputTypes().subList(0, sliced.outputs().size());
        long functions = functions(sliced.kernel(), node.inputTypes(), out);
        return functions >= 0 && functions <= Fitting.MOST_FUNCTIONS;
    }

    private static long functions(Kernel kernel, List<Type> in, List<Type> out) {
        return Fitting.functions(
                kernel,
                in.stream().map(Type::dtype).toList(),
                out.stream().map(Type::dtype).toList());
    }

    private boolean loop(int number, Sequence.Work work, Sliced sliced) {
        int level = 0;
        var more = new LinkedHashMap<Slot, Buffer>();
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
            if (!made.containsKey(v)) loads.putIfAbsent(Slot.whole(v), work.inputs().get(i));
        }
        var member = new Member(number, work, Optional.empty(), level);
        members.add(member);
        for (Value v : member.made()) made.put(v, new Made(level, Optional.empty()));
        return true;
    }

    /** How a round finds the element that an input has at {@code at} in round zero. */
    Optional<Slot.Access> access(Sliced.Input input, Value value, long at) {
        var from = Optional.ofNullable(made.get(value));
        long size = value.type().size();
        if (input.isSteady()) {
            boolean there = from.isPresent() ? from.get().rows().isEmpty() : size <= MOST_WHOLE;
            return there
                    ? Optional.of(new Slot.Access(Slot.whole(value), 0, at, 0))
                    : Optional.empty();
        }
        long inner = input.inner();
        if (inner > 0 && size % (n * inner) == 0 && at % (n * inner) < inner) {
            var rows = new Sliced.Rows(size / (n * inner), inner);
            boolean there =
                    from.isPresent()
                            ? from.get().rows().equals(Optional.of(rows))
                            : atOnce ? size <= MOST_WHOLE : rows.size() <= MOST_A_ROUND;
            if (there) return Optional.of(row(value, rows, at / (n * inner), at % (n * inner)));
        }
        if (from.isPresent()) return Optional.empty();
        return Optional.of(column(value, input.loop(), new View(at, input.strides())));
    }

    private Slot.Access row(Value value, Sliced.Rows rows, long outer, long first) {
        return atOnce
                ? new Slot.Access(
                        Slot.whole(value), 0, outer * n * rows.inner() + first, rows.inner())
                : new Slot.Access(
                        new Slot(value, new Slot.Form.Rows(rows.outer(), rows.inner())),
                        outer,
                        first,
                        rows.inner());
    }

    private static Slot.Access column(Value value, Shape loop, View view) {
        return new Slot.Access(new Slot(value, new Slot.Form.Column(loop, view)), 0, 0, 1);
    }

    /** How a round finds number {@code j} of the row that a loop makes of {@code value}. */
    Slot.Access made(Value value, Sliced.Rows rows, long j) {
        return row(value, rows, j / rows.inner(), j % rows.inner());
    }
}
