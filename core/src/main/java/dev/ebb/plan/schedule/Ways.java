package dev.ebb.plan.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The ways of restoring values that a plan may use besides keeping and recomputing, which are
 * always allowed. {@code Ebb.compile(f).within(budget).only(Ways.recomputing())} plans as if ops
 * had no inverses and the budget named no place.
 */
public record Ways(Set<Way> all) {

    public Ways {
        all = Set.copyOf(all);
    }

    /** Only keeping and recomputing. */
    public static Ways recomputing() {
        return new Ways(Set.of());
    }

    /** These ways, and recomputing. */
    public static Ways of(Way... ways) {
        return new Ways(Set.copyOf(Arrays.asList(ways)));
    }

    /** Every way there is. */
    public static Ways every() {
        return new Ways(EnumSet.allOf(Way.class));
    }

    /** The ways that {@code problem} offers. */
    public static Ways in(Problem problem) {
        var found = EnumSet.noneOf(Way.class);
        for (var inversion : problem.inversions()) found.add(of(inversion));
        for (var place : problem.places()) found.add(place.way());
        return new Ways(found);
    }

    private static Way of(Inversion inversion) {
        return inversion.exact() ? Way.INVERSES : Way.APPROXIMATE_INVERSES;
    }

    public boolean has(Way way) {
        return all.contains(way);
    }

    boolean has(Inversion inversion) {
        return has(of(inversion));
    }

    /** The way of fetching values from places outside the arena. */
    public static Ways places() {
        return of(Way.HOST, Way.DISK);
    }

    /** The ways in both sets. */
    public Ways and(Ways other) {
        return new Ways(all.stream().filter(other::has).collect(Collectors.toSet()));
    }

    /** The ways of this set that are not in {@code other}. */
    public Ways without(Ways other) {
        return new Ways(all.stream().filter(w -> !other.has(w)).collect(Collectors.toSet()));
    }

    /** The ways in either set. */
    public Ways or(Ways other) {
        var both = EnumSet.noneOf(Way.class);
        both.addAll(all);
        both.addAll(other.all);
        return new Ways(both);
    }

    /**
     * Sets from the empty one, recomputation alone, to this one, each with one more way in the
     * order of {@link Way}: the difference between two plans is then the effect of one way.
     */
    public List<Ways> oneByOne() {
        var steps = new ArrayList<>(List.of(recomputing()));
        for (Way way : Way.values()) if (has(way)) steps.add(steps.getLast().or(of(way)));
        return steps;
    }

    @Override
    public String toString() {
        return "recompute"
                + Arrays.stream(Way.values())
                        .filter(this::has)
                        .map(w -> " + " + w)
                        .collect(Collectors.joining());
    }
}
