package dev.ebb;

import dev.ebb.exec.Report;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

/** A function of three arguments made runnable on arrays: see {@link Compiled}. */
public final class Compiled3<P, Q, S, R> extends Options<Compiled3<P, Q, S, R>>
        implements Fn3<P, Q, S, R>, AutoCloseable {
    private final Compiled<By.Three<P, Q, S>, R> whole;

    Compiled3(Compiled<By.Three<P, Q, S>, R> whole) {
        super(whole.planner());
        this.whole = whole;
    }

    @Override
    Compiled3<P, Q, S, R> under(ProgramPlanner other) {
        return new Compiled3<>(whole.under(other));
    }

    /** See {@link Compiled#donating}; {@code By.firstOf3()} is the first argument. */
    public Compiled3<P, Q, S, R> donating(By<By.Three<P, Q, S>, ?> part) {
        return new Compiled3<>(whole.donating(part));
    }

    /** Runs on arrays; inside a function that is being traced, becomes part of it. */
    @Override
    public R apply(P first, Q second, S third) {
        return whole.apply(new By.Three<>(first, second, third));
    }

    /** See {@link Compiled#verify}. */
    public R verify(P first, Q second, S third) {
        return whole.verify(new By.Three<>(first, second, third));
    }

    /** The promised and the measured figures of the latest run. */
    public Report report() {
        return whole.report();
    }

    /** See {@link Compiled#plan}. */
    public Plan plan(P first, Q second, S third) {
        return whole.plan(new By.Three<>(first, second, third));
    }

    /** See {@link Compiled#curve}. */
    public TradeOff curve(P first, Q second, S third) {
        return whole.curve(new By.Three<>(first, second, third));
    }

    @Override
    public void close() {
        whole.close();
    }
}
