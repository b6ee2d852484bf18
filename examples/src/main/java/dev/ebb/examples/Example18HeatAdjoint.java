package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.exec.Report;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The adjoint of a long simulation: the derivative of the temperature in a corner of a plate at the
 * end with respect to the temperatures at the start. The plate conducts heat, radiates it, and has
 * cold edges. All states of the simulation together would take many times the budget.
 */
public final class Example18HeatAdjoint {
    private static final double CONDUCTION = 0.2;
    private static final double RADIATION = 2e-4;

    private Example18HeatAdjoint() {}

    // [heat-step
    /** The heat that flows into each cell from its four neighbours. */
    private static Tensor flow(Tensor u) {
        int rows = u.shape().dim(0);
        int columns = u.shape().dim(1);
        var wide = u.pad(List.of(1, 1), List.of(1, 1));
        var up = wide.slice(0, 0, rows).slice(1, 1, columns + 1);
        var down = wide.slice(0, 2, rows + 2).slice(1, 1, columns + 1);
        var left = wide.slice(0, 1, rows + 1).slice(1, 0, columns);
        var right = wide.slice(0, 1, rows + 1).slice(1, 2, columns + 2);
        return up.add(down).add(left).add(right).sub(u.mul(4));
    }

    /** The flow with a custom derivative: the map is symmetric, so it is its own derivative. */
    private static final Fn<Tensor, Tensor> FLOW =
            Ebb.custom(Example18HeatAdjoint::flow, (u, flows, slope) -> flow(slope));

    /** The temperatures after {@code steps} time steps. */
    static Tensor simulate(Tensor start, int steps) {
        return Loop.repeat(
                steps,
                start,
                u -> u.add(FLOW.apply(u).mul(CONDUCTION)).sub(u.square().square().mul(RADIATION)));
    }

    // heat-step]

    /** The mean temperature of a corner. */
    static Tensor corner(Tensor start, int steps) {
        var end = simulate(start, steps);
        int rows = start.shape().dim(0);
        return end.slice(0, rows / 4, rows / 2).slice(1, rows / 4, rows / 2).mean();
    }

    /** Three hot discs on a warm plate. */
    static Array discs(int size) {
        var start = new double[size * size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                double y = (double) i / size;
                double x = (double) j / size;
                boolean hot =
                        Math.hypot(x - 0.35, y - 0.5) < 0.09
                                || Math.hypot(x - 0.6, y - 0.3) < 0.16
                                || Math.hypot(x - 0.7, y - 0.75) < 0.06;
                start[i * size + j] = hot ? 4 : 1;
            }
        }
        return Array.of(Shape.of(size, size), start);
    }

    record Adjoint(Tensor slopes, Report report) {}

    // [heat-adjoint
    static Adjoint adjoint(int size, int steps, Budget budget) {
        try (var gradient =
                Ebb.compile(Ebb.grad((Tensor start) -> corner(start, steps))).within(budget)) {
            return new Adjoint(gradient.apply(discs(size)), gradient.report());
        }
    }

    // heat-adjoint]

    /** A picture of the derivatives, sampled at every few cells and scaled to a maximum of 1. */
    static byte[] picture(Tensor slopes, int pixels) {
        int size = slopes.shape().dim(0);
        var all = slopes.toDoubles();
        double most = 0;
        for (double slope : all) most = Math.max(most, slope);
        var field = new double[pixels][pixels];
        for (int i = 0; i < pixels; i++) {
            for (int j = 0; j < pixels; j++) {
                long at = (long) (i * size / pixels) * size + j * size / pixels;
                field[i][j] = Math.sqrt(Math.max(0, all[(int) at]) / most);
            }
        }
        return Picture.png(field);
    }

    /**
     * Arguments: cells along each edge, steps and mebibytes, such as {@code 1000 10000 1024}, and
     * optionally the file for a picture of the derivatives. Without arguments, a small plate.
     */
    public static void main(String[] args) throws IOException {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 32;
        int steps = args.length > 1 ? Integer.parseInt(args[1]) : 60;
        var budget = Budget.mebibytes(args.length > 2 ? Integer.parseInt(args[2]) : 1);
        var found = adjoint(size, steps, budget);
        System.out.println("the sum of all slopes " + found.slopes().sum());
        System.out.printf(
                "%.1f seconds; promised %s, measured %s; all states would take %s%n",
                found.report().seconds(),
                Budget.show(found.report().promisedBytes()),
                Budget.show(found.report().measuredBytes()),
                Budget.show(8L * size * size * steps));
        if (args.length > 3) Files.write(Path.of(args[3]), picture(found.slopes(), 160));
    }
}
