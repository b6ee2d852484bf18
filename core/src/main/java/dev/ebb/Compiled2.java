package dev.ebb;

import dev.ebb.exec.Report;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

/** A function of two arguments made runnable on arrays: see {@link Compiled}. */
public final class Compiled2<P, Q, R> extends Options<Compiled2<P, Q, R>>
        implements Fn2<P, Q, R>, AutoCloseable {
    private final Compiled<By.Two<P, Q>, R> whole;

    Compiled2(Compiled<By.Two<P, Q>, R> whole) {
        super(whole.planner());
        this.whole = whole;
    }

    @Override
    Compiled2<P, Q, R> under(ProgramPlanner other) {
        return new Compiled2<>(whole.under(other));
    }

    /** See {@link Compiled#donating}; {@code By.first()} is the first argument. */
    public Compiled2<P, Q, R> donating(By<By.Two<P, Q>, ?> part) {
        return new Compiled2<>(whole.donating(part));
    }

    /** Runs on arrays; inside a function that is being traced, becomes part of it. */
    @Override
    public R apply(P first, Q second) {
        return whole.apply(new By.Two<>(first, second));
    }

    /** See {@link Compiled#verify}. */
    public R verify(P first, Q second) {
        return whole.verify(new By.Two<>(first, second));
    }

    /** The promised and the measured figures of the latest run. */
    public Report report() {
        return whole.report();
    }

    /** See {@link Compiled#plan}. */
    public Plan plan(P first, Q second) {
        return whole.plan(new By.Two<>(first, second));
    }

    /** See {@link Compiled#curve}. */
    public TradeOff curve(P first, Q second) {
        return whole.curve(new By.Two<>(first, second));
    }

    @Override
    public void close() {
        whole.close();
    }
}
