package dev.ebb.ir.math;

/**
 * The checks of data that kernels make while they run, such as of indices and divisors, with the
 * same messages on every device. A device that finds a fault ends the run with an exception that is
 * made here; the caller of the kernel adds the name of the op.
 */
public final class Checks {
    private Checks() {}

    /** {@code index}, if it lies in an axis of {@code bound} elements. */
    public static long index(long index, int bound) {
        if (index < 0 || index >= bound) {
            throw new IndexOutOfBoundsException(
                    "index %s is outside an axis of %s elements: indices run from 0 to %s"
                            .formatted(index, bound, bound - 1));
        }
        return index;
    }

    /** The quotient of integers, rounded towards zero. */
    public static long quotient(long x, long y) {
        if (y == 0) throw byZero(x);
        return x / y;
    }

    /** What a division of integers rounded towards zero leaves. */
    public static long rest(long x, long y) {
        if (y == 0) throw byZero(x);
        return x % y;
    }

    private static ArithmeticException byZero(long x) {
        return new ArithmeticException(
                "the integer "
                        + x
                        + " is divided by zero, and no integer is the quotient; replace zeros"
                        + " first, for example by Tensors.where(y.eq(0), y.literal(1), y)");
    }
}
