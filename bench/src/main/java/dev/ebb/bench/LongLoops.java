package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.loop.CheckpointSplits;
import dev.ebb.plan.loop.Revolve;
import dev.ebb.plan.schedule.Step;
import dev.ebb.solve.Rk4;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * Times loops that are too long to keep all states: a large state carried through many steps with
 * memory for 20 of them, and the adjoint of a long simulation. Arguments: the steps of each, by
 * default a million and a hundred thousand.
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

    /** A decay, {@code c - a c^2} in each step, whose derivative is a product of known factors. */
    private static void wide(int steps) {
        double a = 1.0 / steps;
        Fn<Tensor, Tensor> f = x -> Loop.repeat(steps, x, c -> c.sub(c.mul(c).mul(a))).sum();
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, WIDTH));
        try (var device = Cpu.allCores()) {
            // memory for the states, and for the argument, the carry and the gradient
            long own;
            try (var all = Ebb.compile(Ebb.grad(f)).on(device)) {
                own = all.plan(x).workerBytes();
            }
            var budget = Budget.bytes(own + (SLOTS + 5L) * WIDTH * Double.BYTES);
            long start = System.nanoTime();
            try (var grad = Ebb.compile(Ebb.grad(f)).within(budget).on(device)) {
                var area = area(grad.plan(x));
                System.out.printf(
                        "scan of %,d steps, %d wide, in %s: planned in %.2f s%n",
                        steps, WIDTH, budget, seconds(start));
                System.out.printf(
                        "  room for %d states: %,d forward steps, the binomial optimum is %,d%n",
                        area.levels() + 1,
                        CheckpointSplits.of(IterationCosts.EVEN, area, steps).forwards(steps),
                        Revolve.forwards(steps, area.levels() + 1));
                start = System.nanoTime();
                var g = (Array) grad.apply(x);
                var report = grad.report();
                System.out.printf(
                        "  gradient %.9f (exact %.9f) in %.1f s; promised %d bytes, measured %d%n",
                        g.data().get(0),
                        derivative(x.data().get(0), a, steps),
                        seconds(start),
                        report.promisedBytes(),
                        report.measuredBytes());
            }
        }
    }

    private static CheckpointArea area(Plan plan) {
        for (var step : plan.schedule().steps()) {
            if (step instanceof Step.Compute(var node, _)
                    && node.kernel() instanceof Control.ReverseScan scan) return scan.area();
        }
        throw new IllegalStateException("no loop is reversed");
    }

    private static double derivative(double x, double a, int steps) {
        double c = x;
        double d = 1;
        for (int i = 0; i < steps; i++) {
            d *= 1 - 2 * a * c;
            c -= a * c * c;
        }
        return d;
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
        double tangent = Ebb.jvp(last).apply(at, direction).tangent().item();
        double forward = seconds(start);
        start = System.nanoTime();
        try (var grad = Ebb.compile(Ebb.grad(last)).with(new Binomial(SLOTS))) {
            var g = (Array) grad.apply(at);
            double adjoint = g.mul(direction).sum().item();
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
