package dev.ebb.exec.program;

import dev.ebb.exec.Queue;
import dev.ebb.exec.Report;
import dev.ebb.exec.loop.BoundSteps;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The times of the computations of one run, by op, and the share of recomputations. */
final class Stopwatch {
    private final int[] op;
    private final boolean[] again;
    private final List<String> names = new ArrayList<>();
    private final int[] calls;
    private final long[] nanos;
    private final Queue.Event begin;

    /**
     * The events at the end of each computation, and at the start of the next if that is another
     * moment.
     */
    private final Queue.Event[] ends;

    private final Queue.Event[] begins;

    /** The event at the end of recorded work. */
    private final Queue.Event end;

    private boolean apart;
    private boolean asOne;
    private long repeats;
    private long inKernels;
    private long whole;

    Stopwatch(List<BoundSteps.Bound> steps, Queue queue) {
        begin = queue.event();
        end = queue.event();
        ends = new Queue.Event[steps.size()];
        begins = new Queue.Event[steps.size()];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = queue.event();
            begins[i] = queue.event();
        }
        op = new int[steps.size()];
        again = new boolean[steps.size()];
        Map<String, Integer> numbers = new HashMap<>();
        var count = new int[steps.size()];
        for (int i = 0; i < op.length; i++) {
            var name = steps.get(i).name();
            op[i] = numbers.computeIfAbsent(name, _ -> numbers.size());
            if (op[i] == names.size()) names.add(name);
            count[op[i]]++;
            again[i] = steps.get(i).again();
        }
        calls = count;
        nanos = new long[names.size()];
    }

    void begin() {
        apart = false;
        asOne = false;
        begin.mark();
    }

    /** Marks the end of recorded work, in which single computations have no times. */
    void stopAll() {
        asOne = true;
        end.mark();
    }

    /** Marks the end of computation {@code i}. */
    void stop(int i) {
        ends[i].mark();
    }

    /**
     * Marks the start of computation {@code i}: the time since the previous one does not count for
     * it.
     */
    void go(int i) {
        apart = true;
        begins[i].mark();
    }

    /** Called when all work has run: adds up the times. */
    void read() {
        Arrays.fill(nanos, 0);
        repeats = 0;
        inKernels = 0;
        long start = begin.nanos();
        if (asOne) {
            whole = end.nanos() - start;
            return;
        }
        long last = start;
        for (int i = 0; i < ends.length; i++) {
            if (apart) last = begins[i].nanos();
            long now = ends[i].nanos();
            nanos[op[i]] += now - last;
            inKernels += now - last;
            if (again[i]) repeats += now - last;
            last = now;
        }
        whole = last - start;
    }

    double seconds() {
        return whole / 1e9;
    }

    /** The share of the time that went into repeats. */
    double repeats() {
        return inKernels == 0 ? 0 : (double) repeats / inKernels;
    }

    /** The times of ops, longest first; none for recorded work. */
    List<Report.KernelTime> byTime() {
        if (asOne) return List.of();
        var times = new ArrayList<Report.KernelTime>();
        for (int k = 0; k < names.size(); k++)
            times.add(new Report.KernelTime(names.get(k), calls[k], nanos[k] / 1e9));
        times.sort(
                Comparator.comparingDouble(Report.KernelTime::seconds)
                        .reversed()
                        .thenComparing(Report.KernelTime::op));
        return times;
    }
}
