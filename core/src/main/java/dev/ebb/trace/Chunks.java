package dev.ebb.trace;

/**
 * How many parts a derivative is computed in that could be computed at once, such as the rows of a
 * Jacobian: more parts take less memory. A caller that plans a trace and finds that it does not fit
 * traces again in more parts. The bits are the same.
 */
public final class Chunks {
    private static final ScopedValue<Chunks> CURRENT = ScopedValue.newInstance();

    private final int parts;
    private int most = 1;

    /** This number of parts, or as many as there are. */
    public Chunks(int parts) {
        this.parts = parts;
    }

    /** Traces by {@code body} in these parts. */
    public <R> R during(java.util.function.Supplier<R> body) {
        return ScopedValue.where(CURRENT, this).call(body::get);
    }

    /** The largest number of parts that would make a difference. */
    public int most() {
        return most;
    }

    /** How many of {@code rows} rows are computed at once here. */
    public static int of(int rows) {
        if (!CURRENT.isBound() || rows < 2) return Math.max(1, rows);
        var here = CURRENT.get();
        here.most = Math.max(here.most, rows);
        int each = Math.ceilDiv(rows, Math.min(rows, here.parts));
        // parts of equal size leave nothing to cut off
        for (int some = each; 2 * some > each; some--) if (rows % some == 0) return some;
        return each;
    }
}
