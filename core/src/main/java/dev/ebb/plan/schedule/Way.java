package dev.ebb.plan.schedule;

/** A way to restore a value, besides keeping or recomputing it. */
public enum Way {
    /** From later values, to the last bit: {@link Inversion#exact}. */
    INVERSES("inverses"),

    /** From later values, approximately: of ops that were asked for by name. */
    APPROXIMATE_INVERSES("approximate inverses"),

    /** From a pool of host memory that the budget names. */
    HOST("host memory"),

    /** From a disk that the budget names. */
    DISK("disk"),

    /** By tiling: only a part of a large region exists at a time. */
    PARTS("parts");

    private final String text;

    Way(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
