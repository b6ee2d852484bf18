package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.solve.Leapfrog;
import dev.ebb.solve.Leapfrog.State;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;

import java.util.List;

/**
 * Times the gradient of three gravitating bodies over many leapfrog steps: reversed by inversion in
 * the smallest memory, and with checkpoints, with the same integrator. Both gradients must agree to
 * the last bit. Arguments: steps, by default a million, and checkpoints, by default 100.
 */
public final class Orbits {
    private static final Grid GRID = new Grid(44);
    private static final double STEP = 1e-4;

    /** The memory for the reversal by inversion, for any number of steps. */
    private static final long ROOM = 4096;

    private Orbits() {}

    public static void main(String[] args) {
        int steps = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        int slots = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        var bodies =
                new State(
                        Array.of(Shape.of(3, 2), 1.0, 3, -2, -1, 1, -1),
                        Array.of(Shape.of(3, 2), 0.4, -0.1, 0.1, 0.5, -0.3, -0.4));
        var frog = new Leapfrog(steps, GRID);
        Fn<State, Tensor> undoable = s -> end(frog.solve(Orbits::gravity, s, steps * STEP));
        Fn<State, Tensor> plain =
                s -> {
                    var start = new State(GRID.enter(s.place()), GRID.enter(s.velocity()));
                    return end(Loop.repeat(steps, start, x -> frog.step(Orbits::gravity, x, STEP)));
                };
        try (var cpu = new Cpu(1);
                var undone =
                        Ebb.compile(Ebb.valueAndGrad(undoable))
                                .within(Budget.bytes(own(undoable, bodies, cpu) + ROOM))
                                .on(cpu);
                var kept = Ebb.compile(Ebb.valueAndGrad(plain)).with(new Binomial(slots)).on(cpu)) {
            long start = System.nanoTime();
            var a = undone.apply(bodies);
            double back = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "%,d steps walked back in %s beside the device's own: %.1f s%n",
                    steps,
                    Budget.show(
                            undone.report().measuredBytes() - undone.plan(bodies).workerBytes()),
                    back);
            start = System.nanoTime();
            var b = kept.apply(bodies);
            System.out.printf(
                    "from %d checkpoints in %s: %.1f s%n",
                    slots,
                    Budget.show(kept.report().measuredBytes() - kept.plan(bodies).workerBytes()),
                    (System.nanoTime() - start) / 1e9);
            boolean same =
                    a.value().sameBits((Array) b.value())
                            && a.grad().place().sameBits((Array) b.grad().place())
                            && a.grad().velocity().sameBits((Array) b.grad().velocity());
            System.out.println(same ? "the same bits" : "OTHER BITS");
        }
    }

    /** The bytes that the device needs besides the state; they are not part of {@link #ROOM}. */
    private static long own(Fn<State, Tensor> f, State bodies, Cpu cpu) {
        try (var all = Ebb.compile(Ebb.valueAndGrad(f)).on(cpu)) {
            return all.plan(bodies).workerBytes();
        }
    }

    private static Tensor end(State s) {
        return s.place().square().sum().add(s.velocity().sum());
    }

    private static Tensor gravity(Tensor x) {
        var masses = Array.of(Shape.of(1, 3, 1), 3.0, 4, 5);
        var apart = x.reshape(1, 3, 2).sub(x.reshape(3, 1, 2));
        var distance = apart.square().sum(List.of(2), true).add(0.05);
        return apart.mul(masses).div(distance.mul(distance.sqrt())).sum(List.of(1), false);
    }
}
