package dev.ebb.ir;

/**
 * What a loop may keep for its reverse, beside the state it began with: states, from which rounds
 * can be run again, and tapes, each all that the reverse of one round reads. They are kept as on a
 * stack: what is kept later is used earlier. States lie below, the tapes of one stretch of rounds
 * above them.
 *
 * @param bytes all there is for both
 * @param state what one state takes
 * @param tape what one tape takes
 * @param tapes at most so many tapes are kept at once
 */
public record Room(long bytes, long state, long tape, int tapes) {
    private static final int LINE = 64;

    public Room {
        if (bytes < tape || state < 0 || tape < 0 || tapes < 1) {
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

    /** Room for {@code slots} states, the first included, and one tape. */
    public static Room slots(int slots, long state, long tape) {
        return new Room((slots - 1) * state + tape, state, tape, 1);
    }

    /** How many states fit beside the first and one tape. */
    public int levels() {
        return state == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE - 1, (bytes - tape) / state);
    }

    /** How many tapes fit beside {@code level} states. */
    public int capacity(int level) {
        return tape == 0 ? tapes : (int) Math.min(tapes, (bytes - level * state) / tape);
    }

    /** Memory of this size, as a value. */
    public Type type() {
        int lines = Math.toIntExact(Math.max(1, Math.ceilDiv(bytes, LINE)));
        return new Type(DType.U8, Shape.of(lines, LINE));
    }

    /** What {@code type} takes in it. */
    public static long bytes(Type type) {
        return Math.ceilDiv(type.bytes(), LINE) * LINE;
    }
}
