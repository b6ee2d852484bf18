package dev.ebb.exec;

import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Place;

import java.util.List;
import java.util.Locale;

/**
 * The memory and the time of a run: as its plan promised them, and as they were measured.
 *
 * @param promisedBytes the arena and what the device owns besides it
 * @param measuredBytes the highest byte of the arena that a running step touched, and what the
 *     device owns
 * @param seconds the time of the whole run
 * @param computed how many distinct nodes ran
 * @param recomputed how many computations were repeats
 * @param recomputationShare the share of the time in kernels that went into repeats
 * @param kernels seconds by op, most first
 * @param categories the peak of each kind of memory, as promised and as counted while running
 * @param places the most that lay in each place outside the arena, as promised and as counted while
 *     running
 * @param drifts how far values that an approximate inverse rebuilt were off, where that was checked
 */
public record Report(
        long promisedBytes,
        long measuredBytes,
        double seconds,
        int computed,
        int recomputed,
        double recomputationShare,
        List<KernelTime> kernels,
        List<Peak> categories,
        List<Beside> places,
        List<Drift> drifts) {

    public Report {
        kernels = List.copyOf(kernels);
        categories = List.copyOf(categories);
        places = List.copyOf(places);
        drifts = List.copyOf(drifts);
    }

    /**
     * The same report for a run that took {@code whole} seconds, without times of single kernels.
     */
    public Report taking(double whole) {
        return new Report(
                promisedBytes,
                measuredBytes,
                whole,
                computed,
                recomputed,
                0,
                List.of(),
                categories,
                places,
                drifts);
    }

    /** The peak bytes in one place outside the arena, promised and measured. */
    public record Beside(Place place, long promisedBytes, long measuredBytes) {}

    /**
     * A value that was rebuilt approximately, with other bits.
     *
     * @param relative the largest difference, as a share of the largest element
     */
    public record Drift(String op, String region, double relative) {}

    /** The time of all computations of one op. */
    public record KernelTime(String op, int calls, double seconds) {}

    /**
     * The most bytes of one category at once. Categories peak at different moments, so these do not
     * add up to the peak of the whole. A tape has no plan: the promised peak of each category is
     * its budget.
     */
    public record Peak(Category category, long promisedBytes, long measuredBytes) {}

    /** The peak of one category; of one that does not occur, nothing. */
    public Peak peak(Category category) {
        return categories.stream()
                .filter(p -> p.category == category)
                .findFirst()
                .orElse(new Peak(category, 0, 0));
    }

    /** The report as readable text. */
    public String text() {
        var out = new StringBuilder();
        line(out, "promised   %s", Budget.show(promisedBytes));
        line(out, "measured   %s", Budget.show(measuredBytes));
        for (var p : categories) {
            line(
                    out,
                    "  %-12s promised %s, measured %s",
                    p.category.name().toLowerCase(Locale.ROOT),
                    Budget.show(p.promisedBytes),
                    Budget.show(p.measuredBytes));
        }
        line(
                out,
                "computed   %d nodes; %d recomputations took %.1f %% of the time in kernels",
                computed,
                recomputed,
                100 * recomputationShare);
        for (var there : places) {
            if (there.promisedBytes == 0) continue;
            line(
                    out,
                    "offloaded  promised %s to %s",
                    Budget.show(there.promisedBytes),
                    there.place.name());
            line(out, "           measured %s", Budget.show(there.measuredBytes));
        }
        for (var d : drifts) {
            line(
                    out,
                    "drift      %.3g of the largest element, rebuilt by %s %s",
                    d.relative,
                    d.op,
                    d.region);
        }
        line(out, "time       %.3f ms", seconds * 1e3);
        for (var k : kernels) line(out, "  %10.3f ms  %5d x %s", k.seconds * 1e3, k.calls, k.op);
        return out.toString();
    }

    private static void line(StringBuilder out, String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments).stripTrailing()).append('\n');
    }
}
