package dev.ebb.exec;

import dev.ebb.plan.Step;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How long the computations of one run take: by op, and how much of it goes into repeats. */
final class Stopwatch {
    private final int[] op;
    private final boolean[] again;
    private final List<String> names = new ArrayList<>();
    private final int[] calls;
    private final long[] nanos;
    private long repeats;
    private long inKernels;
    private long last;
    private long begun;

    Stopwatch(List<Steps.Bound> steps) {
        op = new int[steps.size()];
        again = new boolean[steps.size()];
        Map<String, Integer> numbers = new HashMap<>();
        Set<Object> seen = new HashSet<>();
        var count = new int[steps.size()];
        for (int i = 0; i < op.length; i++) {
            var name = steps.get(i).name();
            op[i] = numbers.computeIfAbsent(name, _ -> numbers.size());
            if (op[i] == names.size()) names.add(name);
            count[op[i]]++;
            again[i] =
                    switch (steps.get(i).step()) {
                        case Step.Compute compute -> !seen.add(compute.node().outputs());
                        case Step.Invert _, Step.Offload _, Step.Fetch _ -> true;
                        case Step.Free _ -> false;
                    };
        }
        calls = count;
        nanos = new long[names.size()];
    }

    void begin() {
        Arrays.fill(nanos, 0);
        repeats = 0;
        inKernels = 0;
        begun = System.nanoTime();
        last = begun;
    }

    /** Computation {@code i} has just ended. */
    void stop(int i) {
        long now = System.nanoTime();
        nanos[op[i]] += now - last;
        inKernels += now - last;
        if (again[i]) repeats += now - last;
        last = now;
    }

    /** What came since the last computation is not the next one's. */
    void go() {
        last = System.nanoTime();
    }

    double seconds() {
        return (last - begun) / 1e9;
    }

    /** The share of the time that went into repeats. */
    double repeats() {
        return inKernels == 0 ? 0 : (double) repeats / inKernels;
    }

    /** Most first. */
    List<Report.KernelTime> byTime() {
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
