package dev.ebb.ir;

/**
 * The checkpoint area of a loop: the memory in which it keeps, besides its initial state, states
 * from which iterations can be run again, and tapes, each with the values that the reverse of one
 * iteration reads. It is used as a stack: the state or tape saved last is used first. States lie at
 * the bottom, the tapes of one range of iterations above them. The lowest states, which are written
 * and read least often, may be offloaded to a place outside the arena.
 *
 * @param bytes the bytes for states and tapes together
 * @param state the bytes of one state
 * @param tape the bytes of one tape
 * @param tapes the most tapes that are kept at once
 * @param offloaded the number of states, the lowest ones, that are in a place outside the arena
 * @param place the number of that place in the program
 * @param moving the number of states, 0 or 1, that may be in transfer to or from that place while
 *     the loop runs on; it has memory of its own at the end of the area
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
                    ("a reverse loop needs room for one tape of %s bytes; %s bytes for %s are too"
                                    + " few")
                            .formatted(tape, bytes, tapes));
        }
    }

    /** A checkpoint area without offloaded states. */
    public CheckpointArea(long bytes, long state, long tape, int tapes) {
        this(bytes, state, tape, tapes, 0, 0, 0);
    }

    /** The same area with {@code states} further states in a place, at the bottom of the stack. */
    public CheckpointArea above(int states, int where) {
        return new CheckpointArea(bytes, state, tape, tapes, states, where, 0);
    }

    /** The same area with additional memory for a state in transfer to or from its place. */
    public CheckpointArea movingBeside() {
        return new CheckpointArea(
                bytes, state, tape, tapes, offloaded, place, offloaded > 0 ? 1 : 0);
    }

    /** An area for {@code slots} states, the initial one included, and one tape. */
    public static CheckpointArea slots(int slots, long state, long tape) {
        return new CheckpointArea((slots - 1) * state + tape, state, tape, 1);
    }

    /** The number of states that fit beside the initial state and one tape. */
    public int levels() {
        if (state == 0) return 0;
        return (int) Math.min(Integer.MAX_VALUE - 1, offloaded + (bytes - tape) / state);
    }

    /** The number of tapes that fit beside {@code level} states. */
    public int capacity(int level) {
        return tape == 0 ? tapes : (int) Math.min(tapes, (bytes - stateBytes(level)) / tape);
    }

    /** The bytes that {@code level} states take in the area. */
    public long stateBytes(int level) {
        return Math.max(0, level - offloaded) * state;
    }

    /** The type of a value with the size of the area. */
    public Type type() {
        int lines = Math.toIntExact((movingAt() + lines(moving * state)) / LINE);
        return new Type(DType.U8, Shape.of(lines, LINE));
    }

    /** The offset of a state in transfer. */
    public long movingAt() {
        return Math.max(LINE, lines(bytes));
    }

    /** The bytes that a value of {@code type} takes in the area. */
    public static long bytes(Type type) {
        return lines(type.bytes());
    }

    /** {@code bytes}, rounded up to whole cache lines. */
    public static long lines(long bytes) {
        return Math.ceilDiv(bytes, LINE) * LINE;
    }
}
