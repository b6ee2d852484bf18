package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.solve.Rk4;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * Loops too long to keep: a wide state carried through many steps with room for 20 of them, and the
 * adjoint of a long simulation. Arguments: the steps of each, a million and a hundred thousand
 * unless given.
 */
public final class LongLoops {
    private static final int WIDTH = 1000;
    private static final int SLOTS = 20;

    private LongLoops() {}

    public static void main(String[] args) {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        int times = args.length > 1 ? Integer.parseInt(args[1]) : 100_000;
        wide(steps);
        vanDerPol(times);
    }

    /** A decay whose derivative is known: each step multiplies by a constant. */
    private static void wide(int steps) {
        double decay = 1 - 1.0 / steps;
        Fn<Tensor, Tensor> f = x -> Loop.repeat(steps, x, c -> c.mul(decay)).sum();
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, WIDTH));
        long start = System.nanoTime();
        try (var grad = Ebb.compile(Ebb.grad(f)).with(new Binomial(SLOTS))) {
            long bytes = grad.plan(x).layout().arenaBytes();
            System.out.printf(
                    "scan of %,d steps, %d wide, %d slots: planned in %.2f s, %s%n",
                    steps, WIDTH, SLOTS, seconds(start), Budget.show(bytes));
            start = System.nanoTime();
            var g = (Array) grad.apply(x);
            var report = grad.report();
            System.out.printf(
                    "  gradient %.6f (exact %.6f) in %.1f s; promised %d bytes, measured %d%n",
                    g.get(0),
                    Math.pow(decay, steps),
                    seconds(start),
                    report.promisedBytes(),
                    report.measuredBytes());
        }
    }

    private static void vanDerPol(int steps) {
        Fn2<Tensor, List<Tensor>, List<Tensor>> f =
                (_, y) -> {
                    var x = y.getFirst();
                    var v = y.getLast();
                    return List.of(v, x.square().neg().add(1).mul(v).mul(1.5).sub(x));
                };
        Fn<Tensor, Tensor> last =
                p ->
                        new Rk4(steps)
                                .solve(f, List.of(p.at(0, 0), p.at(0, 1)), 0, steps * 1e-3)
                                .getFirst();
        var at = Array.of(2.0, 0.0);
        var direction = Array.of(0.3, -0.2);
        long start = System.nanoTime();
        double tangent = ((Array) Ebb.jvp(last).apply(at, direction).tangent()).item();
        double forward = seconds(start);
        start = System.nanoTime();
        try (var grad = Ebb.compile(Ebb.grad(last)).with(new Binomial(SLOTS))) {
            var g = (Array) grad.apply(at);
            double adjoint = ((Array) g.mul(direction).sum()).item();
            System.out.printf(
                    "Van der Pol, %,d steps: tangent %.3e in %.1f s, adjoint off by %.1e in %.1f s"
                            + " and %s%n",
                    steps,
                    tangent,
                    forward,
                    Math.abs(adjoint - tangent),
                    seconds(start),
                    Budget.show(grad.report().promisedBytes()));
        }
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
