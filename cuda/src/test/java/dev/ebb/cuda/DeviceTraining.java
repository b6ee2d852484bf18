package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Tensor;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** Times training steps on a card, at full memory and in smaller budgets. */
final class DeviceTraining {
    private static final int WARM = 3;
    private static final int TIMED = 10;

    /** The seconds for which a program is timed, with at least three steps. */
    private static final double SECONDS = 6;

    private final PrintWriter log;
    private final List<Run> runs = new ArrayList<>();

    /**
     * The measurement of a step.
     *
     * @param name the program, its type and its budget
     * @param kept whether the promised peak equals the measured one
     */
    record Run(String name, double milliseconds, long peakBytes, boolean kept) {}

    /**
     * A model that is trained.
     *
     * @param step a step whose activations and products are of {@code type}
     */
    record Workload<S, B>(
            String title, DType type, S state, B batch, Fn2<S, B, Next<S, Tensor>> step) {
        String name() {
            return title + " in " + type;
        }
    }

    /** A budget with a name; its bytes are computed from a plan without a budget. */
    record Room(String name, ToLongFunction<Plan> bytes) {
        /** A share of the range from the least budget to that of keeping everything. */
        static Room share(String name, double share) {
            return new Room(
                    name, p -> (long) (p.leastBytes() + share * (p.peakBytes() - p.leastBytes())));
        }

        static Room gibibytes(double gibibytes) {
            return new Room(
                    "in %.2f GiB".formatted(gibibytes),
                    p -> Math.max(p.leastBytes(), (long) (gibibytes * (1L << 30))));
        }
    }

    DeviceTraining(PrintWriter log) {
        this.log = log;
    }

    /** All runs so far. */
    List<Run> runs() {
        return List.copyOf(runs);
    }

    void say(String form, Object... arguments) {
        var line = form.formatted(arguments);
        System.out.println(line);
        log.println(line);
        log.flush();
    }

    void fault(String name, Throwable e) {
        say("  %s: FAILED %s", name, e);
        e.printStackTrace(log);
        log.flush();
    }

    static double gib(long bytes) {
        return bytes / (double) (1 << 30);
    }

    /** Steps at full memory and in these budgets; whether all losses have the same bits. */
    <S, B> boolean train(Workload<S, B> w, Device device, List<Room> rooms) {
        say("%s on %s", w.name(), device.signature());
        Plan plan;
        long start = System.nanoTime();
        try {
            plan = Ebb.stepper(w.step()).on(device).plan(w.state(), w.batch());
        } catch (RuntimeException e) {
            fault(w.name(), e);
            return false;
        }
        say(
                "  full %.2f GiB, least %.2f GiB, planned in %.1f s",
                gib(plan.peakBytes()), gib(plan.leastBytes()), seconds(start));
        double[] first = run(w, "full", Budget.unlimited(), device);
        boolean same = first.length > 0;
        for (var room : rooms) {
            var budget = Budget.bytes(room.bytes().applyAsLong(plan));
            var losses = run(w, room.name(), budget, device);
            boolean equal = sameStart(first, losses);
            say("  losses have %s bits", equal ? "the same" : "OTHER");
            same &= equal;
        }
        return same;
    }

    private static boolean sameStart(double[] a, double[] b) {
        int n = Math.min(a.length, b.length);
        return n > 0 && Arrays.equals(a, 0, n, b, 0, n);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    /** The losses of some steps in a budget; none if it failed. */
    <S, B> double[] run(Workload<S, B> w, String name, Budget budget, Device device) {
        long start = System.nanoTime();
        try (Stepper<S, B, Tensor> stepper =
                        Ebb.stepper(w.step())
                                .within(budget)
                                .on(device)
                                .start(w.state(), w.batch());
                var _ = GpuLock.take()) {
            double ready = seconds(start);
            var losses = new ArrayList<Double>();
            losses.add(stepper.step(w.batch()).item());
            double begun = seconds(start);
            for (int i = 1; i < WARM; i++) losses.add(stepper.step(w.batch()).item());
            var times = new ArrayList<Double>();
            long since = System.nanoTime();
            while (times.size() < TIMED && (times.size() < 3 || seconds(since) < SECONDS)) {
                long now = System.nanoTime();
                losses.add(stepper.step(w.batch()).item());
                times.add(seconds(now) * 1e3);
            }
            times.sort(null);
            double median = times.get(times.size() / 2);
            var report = stepper.report();
            boolean kept = report.promisedBytes() == report.measuredBytes();
            for (var place : report.places()) {
                kept &= place.promisedBytes() == place.measuredBytes();
                say(
                        "  %s: %.3f GiB promised, %s measured",
                        place.place().name(),
                        gib(place.promisedBytes()),
                        place.promisedBytes() == place.measuredBytes()
                                ? "the same"
                                : String.valueOf(place.measuredBytes()));
            }
            runs.add(new Run(w.name() + ", " + name, median, report.measuredBytes(), kept));
            say(
                    "  %s: %.1f ms a step (%.1f on the card, %.1f at best), promised %.3f GiB,"
                            + " measured %s, ready in %.1f s, first step after %.1f s, losses %.6f"
                            + " to %.6f",
                    name,
                    median,
                    report.seconds() * 1e3,
                    times.getFirst(),
                    gib(report.promisedBytes()),
                    report.promisedBytes() == report.measuredBytes()
                            ? "the same"
                            : String.valueOf(report.measuredBytes()),
                    ready,
                    begun,
                    losses.getFirst(),
                    losses.getLast());
            return losses.stream().mapToDouble(Double::doubleValue).toArray();
        } catch (RuntimeException e) {
            fault(name, e);
            return new double[0];
        }
    }
}
