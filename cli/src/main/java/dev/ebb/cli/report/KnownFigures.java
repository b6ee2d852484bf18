package dev.ebb.cli.report;

import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.cache.SearchKey;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The figures of plans that were asked for before, so that asking again traces and plans nothing.
 * They are found by a digest of all that they depend on: the compiled program, of which the
 * launcher tells the digest, and what was asked for. Without a launcher nothing is known.
 *
 * @param build the digest of the program's jars
 */
public record KnownFigures(Optional<String> build, PlanCache cache) {

    /** Of the program that the launcher started. */
    public static KnownFigures in(PlanCache cache) {
        return new KnownFigures(Optional.ofNullable(System.getProperty("ebb.build")), cache);
    }

    /** Makes a plan, of a model that may be in a file. */
    @FunctionalInterface
    public interface Planning {
        Planned make() throws IOException;
    }

    /**
     * The figures of a plan.
     *
     * @param asked all that decides them, as texts; none where it is more than texts can tell
     * @param plan makes the plan where it is not known
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
