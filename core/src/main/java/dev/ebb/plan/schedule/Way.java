package dev.ebb.plan.schedule;

/** A way to bring a value back, besides keeping it and computing it or its rounds again. */
public enum Way {
    /** From what came after it, to the last bit: {@link Inversion#exact}. */
    INVERSES("inverses"),

    /** From what came after it, nearly: of ops that were asked for by name. */
    APPROXIMATE_INVERSES("approximate inverses"),

    /** From a pool of host memory that the budget names. */
    HOST("host memory"),

    /** From a disk that the budget names. */
    DISK("disk"),

    /** Not at all: of a large region only a part exists at a time, one after the other. */
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
