package dev.ebb.ir;

/**
 * The checkpoint memory of a loop, besides its initial state: states, from which iterations can be
 * run again, and tapes, each with all that the reverse of one iteration reads. It is used as a
 * stack: what is saved last is used first. States lie at the bottom, the tapes of one range of
 * iterations above them. The lowest states, which are written and read least often, may be
 * offloaded to a place outside the arena.
 *
 * @param bytes all the memory there is for both
 * @param state what one state takes
 * @param tape what one tape takes
 * @param tapes the most tapes that are kept at once
 * @param offloaded how many states, the lowest, lie in a place outside the arena
 * @param place which of the program's places that is
 * @param moving the number of states, 0 or 1, that may be in transfer to or from that place while
 *     the loop runs on; each has its own memory after the rest
 */
public record CheckpointArea(
        long bytes, long state, long tape, int tapes, int offloaded, int place, int moving) {
    private static final int LINE = 64;

    public CheckpointArea {
        if (moving < 0 || moving > 1)
            throw new IllegalArgumentException(
                    "at most one state is in transfer to or from its place at a time, not "
                            + moving);
        if (bytes < tape || state < 0 || tape < 0 || tapes < 1 || offloaded < 0 || place < 0) {
            throw new IllegalArgumentException(
                    "a reverse loop needs room for one tape of "
                            + tape
                            + " bytes; "
                            + bytes
                            + " bytes for "
                            + tapes
                            + " are too few");
        }
    }

    /** Room in memory alone. */
    public CheckpointArea(long bytes, long state, long tape, int tapes) {
        this(bytes, state, tape, tapes, 0, 0, 0);
    }

    /** The same memory, and {@code states} states in a place below those in it. */
    public CheckpointArea above(int states, int where) {
        return new CheckpointArea(bytes, state, tape, tapes, states, where, 0);
    }

    /** The same, and memory for a state that is on its way to or from its place. */
    public CheckpointArea movingBeside() {
        return new CheckpointArea(
                bytes, state, tape, tapes, offloaded, place, offloaded > 0 ? 1 : 0);
    }

    /** Room for {@code slots} states, the first included, and one tape. */
    public static CheckpointArea slots(int slots, long state, long tape) {
        return new CheckpointArea((slots - 1) * state + tape, state, tape, 1);
    }

    /** How many states fit beside the first and one tape. */
    public int levels() {
        if (state == 0) return 0;
        return (int) Math.min(Integer.MAX_VALUE - 1, offloaded + (bytes - tape) / state);
    }

    /** How many tapes fit beside {@code level} states. */
    public int capacity(int level) {
        return tape == 0 ? tapes : (int) Math.min(tapes, (bytes - stateBytes(level)) / tape);
    }

    /** What {@code level} states take of the memory. */
    public long stateBytes(int level) {
        return Math.max(0, level - offloaded) * state;
    }

    /** Memory of this size, as a value. */
    public Type type() {
        int lines = Math.toIntExact((movingAt() + lines(moving * state)) / LINE);
        return new Type(DType.U8, Shape.of(lines, LINE));
    }

    /** Where a state lies that is on its way. */
    public long movingAt() {
        return Math.max(LINE, lines(bytes));
    }

    /** What {@code type} takes in it. */
    public static long bytes(Type type) {
        return lines(type.bytes());
    }

    /** {@code bytes}, rounded up to whole cache lines. */
    public static long lines(long bytes) {
        return Math.ceilDiv(bytes, LINE) * LINE;
    }
}
