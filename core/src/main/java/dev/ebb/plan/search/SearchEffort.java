package dev.ebb.plan.search;

/** The amount of work for searching a family of plans. */
public enum SearchEffort {
    /** For a whole program. */
    FULL(100, 600_000L),

    /** For a part of it that is planned in several variants, such as the body of a loop. */
    PART(40, 40_000L);

    /** The most replayed steps for improving a whole family. */
    private static final long MOST = 120_000_000L;

    /** A graph with more nodes is searched with fewer levels and attempts. */
    static final int LARGE = 1_500;

    private final int levels;
    private final long stepsPerNode;

    SearchEffort(int levels, long stepsPerNode) {
        this.levels = levels;
        this.stepsPerNode = stepsPerNode;
    }

    /** The number of memory bounds between keeping everything and nothing. */
    int levels(int nodes) {
        return nodes > LARGE ? levels / 2 : levels;
    }

    /** The replayed steps for improving the plan of one bound. */
    long share(int nodes) {
        return Math.min(MOST, stepsPerNode * nodes) / levels(nodes) / (nodes > LARGE ? 4 : 1);
    }
}
