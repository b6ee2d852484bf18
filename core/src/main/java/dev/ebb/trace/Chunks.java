package dev.ebb.trace;

/**
 * The number of chunks in which a derivative is computed whose rows could all be computed at once,
 * such as a Jacobian: more chunks take less memory. If the plan of a trace does not fit the budget,
 * the caller traces again with more chunks. The bits are the same.
 */
public final class Chunks {
    private static final ScopedValue<Chunks> CURRENT = ScopedValue.newInstance();

    private final int parts;
    private int most = 1;

    /** This number of chunks, or one chunk per row if there are fewer rows. */
    public Chunks(int parts) {
        this.parts = parts;
    }

    /** Runs {@code body}, which traces a function, with this number of chunks. */
    public <R> R during(java.util.function.Supplier<R> body) {
        return ScopedValue.where(CURRENT, this).call(body::get);
    }

    /** The largest number of chunks that makes a difference to what was traced. */
    public int most() {
        return most;
    }

    /** The number of rows of a chunk, out of {@code rows} rows, in the current trace. */
    public static int of(int rows) {
        if (!CURRENT.isBound() || rows < 2) return Math.max(1, rows);
        var here = CURRENT.get();
        here.most = Math.max(here.most, rows);
        int each = Math.ceilDiv(rows, Math.min(rows, here.parts));
        // with chunks of equal size no rows are left over
        for (int some = each; 2 * some > each; some--) if (rows % some == 0) return some;
        return each;
    }
}
