package dev.ebb.plan.search;

/**
 * The memory bounds at which the plans of a family are searched, and those at which its generations
 * end.
 *
 * @param top the bytes from which generations go down, the same in all families of a problem
 * @param storeAll the bytes for which this family computes everything once
 * @param count the number of levels between {@code storeAll} and nothing
 */
record MemoryLevels(long top, long storeAll, int count) {
    /** A generation covers a twentieth of the way from {@code top} down to nothing. */
    private static final int GENERATIONS = 20;

    /** The first level above all bounds. */
    int highest() {
        return Math.max(count, lowest(0));
    }

    /** The bytes of a level. */
    long bound(int level) {
        return (long) (storeAll * (double) level / count);
    }

    /** The lowest level that the generations up to number {@code last} reach. */
    int lowest(int last) {
        return (int) ((double) top / storeAll * (count * (GENERATIONS - last)) / GENERATIONS);
    }

    /** The bytes down to which the generations up to number {@code last} have plans. */
    long reach(int last) {
        return top * (GENERATIONS - last) / GENERATIONS;
    }

    /** The bytes between two levels. */
    long step() {
        return storeAll / count;
    }
}
