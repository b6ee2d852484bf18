package dev.ebb.bench;

import dev.ebb.bench.kernel.TimedKernels;
import dev.ebb.cpu.Cpu;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Breaks down the time of a step of {@link Threads}: milliseconds in each kind of kernel on each
 * number of threads, the speedup from the first to the last of these numbers, and the time between
 * kernels. The median over steps counts for each kind.
 *
 * <p>Arguments: the number of steps that count, then numbers of threads; by default 12, and 1 and
 * 16.
 */
public final class ThreadsProfile {
    private ThreadsProfile() {}

    public static void main(String[] args) {
        var arguments = args.length > 0 ? List.of(args) : List.of("12", "1", "16");
        int steps = Integer.parseInt(arguments.getFirst());
        var threads = arguments.subList(1, arguments.size());
        var columns = new ArrayList<Map<String, Row>>();
        for (var count : threads) columns.add(column(Integer.parseInt(count), steps));
        System.out.printf("%9s", "calls");
        for (var count : threads) System.out.printf("%9s", count);
        System.out.printf("%9s%n", "speed-up");
        for (var kind : columns.getFirst().keySet()) {
            var rows = columns.stream().map(c -> row(c, kind)).toList();
            System.out.printf("%9d", rows.getFirst().calls);
            for (var row : rows) System.out.printf(Locale.ROOT, "%9.3f", row.seconds * 1e3);
            double faster = rows.getFirst().seconds / rows.getLast().seconds;
            System.out.printf(Locale.ROOT, "%9.1f  %s%n", faster, kind);
        }
    }

    /** All numbers of threads have the same kinds of kernels. */
    private static Row row(Map<String, Row> column, String kind) {
        return Objects.requireNonNull(column.get(kind), kind);
    }

    /** The kernels of one kind in a step, or the time outside kernels. */
    private record Row(int calls, double seconds) {}

    private static Map<String, Row> column(int threads, int steps) {
        try (var cpu = new Cpu(threads)) {
            var timed = new TimedKernels(cpu);
            var kinds = new LinkedHashMap<String, List<Row>>();
            Training.gptSteps(
                    timed,
                    Threads.WARM_UP + steps,
                    (step, seconds) -> {
                        var taken = timed.take();
                        if (step < Threads.WARM_UP) return;
                        double inside = 0;
                        int calls = 0;
                        for (var kind : taken.keySet()) {
                            var time = taken.get(kind);
                            inside += time.seconds();
                            calls += time.calls();
                            add(kinds, kind, new Row(time.calls(), time.seconds()));
                        }
                        add(kinds, "outside of kernels", new Row(0, seconds - inside));
                        add(kinds, "the whole step", new Row(calls, seconds));
                    });
            var column = new LinkedHashMap<String, Row>();
            kinds.forEach((kind, rows) -> column.put(kind, median(rows)));
            return column;
        }
    }

    private static void add(Map<String, List<Row>> kinds, String kind, Row row) {
        kinds.computeIfAbsent(kind, _ -> new ArrayList<>()).add(row);
    }

    private static Row median(List<Row> rows) {
        var sorted = rows.stream().mapToDouble(Row::seconds).sorted().toArray();
        return new Row(rows.getFirst().calls, sorted[sorted.length / 2]);
    }
}
