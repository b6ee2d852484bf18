package dev.ebb.cli.report;

import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.cache.SearchKey;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Caches the figures of plans on disk, so that asking for the same plan again traces and plans
 * nothing. The key is a digest of all inputs of the plan: the digest of the program's jars, which
 * the launcher passes, and the options. A program that was not started by the launcher caches
 * nothing.
 *
 * @param build the digest of the program's jars
 */
public record KnownFigures(Optional<String> build, PlanCache cache) {

    /** The cache of the program that the launcher started. */
    public static KnownFigures in(PlanCache cache) {
        return new KnownFigures(Optional.ofNullable(System.getProperty("ebb.build")), cache);
    }

    /** Plans a model, which may be read from a file. */
    @FunctionalInterface
    public interface Planning {
        PlanInBudget make() throws IOException;
    }

    /**
     * The figures of a plan, from the cache if they are there.
     *
     * @param asked all inputs of the plan as texts; empty if texts cannot identify them, so that
     *     the figures are not cached
     * @param plan makes the plan if its figures are not in the cache
     */
    public PlanFigures of(List<String> asked, Planning plan) throws IOException {
        if (build.isEmpty() || asked.isEmpty()) return planned(plan);
        var key = new SearchKey(build.get().getBytes(StandardCharsets.UTF_8)).put("figures");
        asked.forEach(key::put);
        var name = key.text();
        var known = cache.find(name).flatMap(PlanFigures::read);
        if (known.isPresent()) return known.get();
        var figures = planned(plan);
        cache.put(name, figures.json().toString().getBytes(StandardCharsets.UTF_8));
        return figures;
    }

    private static PlanFigures planned(Planning plan) throws IOException {
        var planned = plan.make();
        var least = OptionalLong.of(planned.leastBytes());
        return PlanFigures.of(planned, least, planned.scheduleDigest());
    }
}
