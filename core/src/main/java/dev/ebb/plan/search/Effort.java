package dev.ebb.plan.search;

/** How much work is spent on the search for a family of plans. */
public enum Effort {
    /** For a whole program. */
    FULL(100, 600_000L),

    /** For a part of it that is planned in several variants, such as the body of a loop. */
    PART(40, 40_000L);

    /** Replayed steps spent on improving a whole family at most. */
    private static final long MOST = 120_000_000L;

    /** A graph with more nodes is large: fewer levels, fewer attempts. */
    static final int LARGE = 1_500;

    private final int levels;
    private final long stepsPerNode;

    Effort(int levels, long stepsPerNode) {
        this.levels = levels;
        this.stepsPerNode = stepsPerNode;
    }

    /** How many bounds there are between keeping everything and nothing. */
    int levels(int nodes) {
        return nodes > LARGE ? levels / 2 : levels;
    }

    /** Replayed steps spent on improving the plan of one bound. */
    long share(int nodes) {
        return Math.min(MOST, stepsPerNode * nodes) / levels(nodes) / (nodes > LARGE ? 4 : 1);
    }
}
