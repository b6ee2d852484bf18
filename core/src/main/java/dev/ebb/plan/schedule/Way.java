package dev.ebb.plan.schedule;

/** A way to restore a value, besides keeping or recomputing it. */
public enum Way {
    /**
     * Inversion: rebuilding values from later values with the same bits, see {@link
     * Inversion#exact}.
     */
    INVERSES("inverses"),

    /** Approximate inversion, for ops that the user declared to be invertible approximately. */
    APPROXIMATE_INVERSES("approximate inverses"),

    /** Offloading to a pool of host memory that the budget names. */
    HOST("host memory"),

    /** Offloading to a disk that the budget names. */
    DISK("disk"),

    /** Tiling: only one tile of a large region is in memory at a time. */
    TILES("tiles");

    private final String text;

    Way(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
