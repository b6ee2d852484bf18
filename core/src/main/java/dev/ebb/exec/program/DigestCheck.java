package dev.ebb.exec.program;

import dev.ebb.exec.Digest;
import dev.ebb.exec.DigestException;
import dev.ebb.exec.Queue;
import dev.ebb.exec.Report;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Inversion;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;
import dev.ebb.plan.schedule.ValueHistory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compares the bits of every restored value with those of its first computation. */
final class DigestCheck {
    private final Queue queue;
    private final Map<Value, Long> first = new HashMap<>();
    private final Schedule schedule;

    /**
     * Values that are rebuilt approximately; found when the first value is checked, since most runs
     * check none.
     */
    private Optional<Set<Value>> nearly = Optional.empty();

    /** Values whose present content was computed from approximately rebuilt values. */
    private final Set<Value> off = new HashSet<>();

    private final Map<Value, Buffer> originals = new HashMap<>();
    private final List<Report.Drift> drifts = new ArrayList<>();

    DigestCheck(Schedule schedule, Queue queue) {
        this.queue = queue;
        this.schedule = schedule;
    }

    private boolean isNearly(Value value) {
        var known = nearly.orElseGet(() -> nearly(schedule));
        nearly = Optional.of(known);
        return known.contains(value);
    }

    private static Set<Value> nearly(Schedule schedule) {
        var found = new HashSet<Value>();
        ValueHistory.of(schedule)
                .forEach(
                        (value, history) -> {
                            if (!history.exact()) found.add(value);
                        });
        return found;
    }

    void computed(BoundSteps.Bound bound, int step) {
        for (int i = 0; i < bound.written().size(); i++) {
            var value = bound.written().get(i);
            var buffer = bound.outputs().get(i);
            switch (bound.work().orElseThrow()) {
                case Step.Compute(var node, _) -> {
                    if (!follows(value, node) && differs(value, buffer))
                        throw new DigestException(node, step);
                }
                case Step.Invert(var inversion, _) -> {
                    if (!inversion.exact()) {
                        off.add(value);
                        drift(inversion, value, buffer);
                    } else if (!follows(value, inversion.node()) && differs(value, buffer)) {
                        throw new DigestException(inversion, step);
                    }
                }
            }
        }
    }

    /** Whether {@code value} may differ because {@code node} read a value that does. */
    private boolean follows(Value value, Node node) {
        boolean follows = node.inputs().stream().anyMatch(off::contains);
        if (follows) off.add(value);
        else off.remove(value);
        return follows;
    }

    private boolean differs(Value value, Buffer buffer) {
        long digest = Digest.of(buffer, queue);
        var before = first.putIfAbsent(value, digest);
        if (before == null && isNearly(value)) originals.put(value, copy(buffer));
        return before != null && before != digest;
    }

    private Buffer copy(Buffer buffer) {
        var bytes = new byte[Math.toIntExact(buffer.bytes())];
        queue.read(buffer.memory().slice(0, bytes.length), MemorySegment.ofArray(bytes));
        return new Buffer(buffer.dtype(), buffer.size(), MemorySegment.ofArray(bytes));
    }

    private void drift(Inversion inversion, Value value, Buffer there) {
        var then = originals.get(value);
        if (then == null) return;
        var now = copy(there);
        double most = 0;
        double largest = Double.MIN_NORMAL;
        for (long i = 0; i < now.size(); i++) {
            largest = Math.max(largest, Math.abs(then.get(i)));
            most = Math.max(most, Math.abs(now.get(i) - then.get(i)));
        }
        var node = inversion.node();
        drifts.add(new Report.Drift(node.op().name(), node.region().toString(), most / largest));
    }

    List<Report.Drift> drifts() {
        return drifts;
    }
}
