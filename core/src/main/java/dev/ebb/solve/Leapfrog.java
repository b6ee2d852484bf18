package dev.ebb.solve;

import dev.ebb.Fn;
import dev.ebb.Reversible;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;

/**
 * The leapfrog method for motion under forces that depend on places alone: half a kick, a drift,
 * half a kick. It keeps volumes of phase space, and energy nearly, for as long as it runs. Places
 * and velocities lie on a {@link Grid}, so every step can be taken back to the last bit (Levesque
 * and Verlet, "Molecular dynamics and time reversibility", 1993): the gradient of a run of any
 * length takes the memory of a few states. The price is the grid's rounding, one half step of it in
 * each addition.
 */
public record Leapfrog(int steps, Grid grid) {

    /** Positions and velocities. */
    public record State(Tensor place, Tensor velocity) {}

    public Leapfrog {
        Settings.steps(steps);
    }

    /** The state after {@code time}, which may be negative, from {@code first}. */
    public State solve(Fn<Tensor, Tensor> acceleration, State first, double time) {
        double h = time / steps;
        var start = new State(grid.enter(first.place), grid.enter(first.velocity));
        return Reversible.repeat(
                steps, start, s -> step(acceleration, s, h), s -> back(acceleration, s, h));
    }

    /** One step of length {@code h}, for a state on the grid. */
    public State step(Fn<Tensor, Tensor> acceleration, State s, double h) {
        var half = grid.add(s.velocity, acceleration.apply(s.place).mul(h / 2));
        var place = grid.add(s.place, half.mul(h));
        return new State(place, grid.add(half, acceleration.apply(place).mul(h / 2)));
    }

    /** The state before a {@link #step} that led to {@code s}. */
    public State back(Fn<Tensor, Tensor> acceleration, State s, double h) {
        var half = grid.sub(s.velocity, acceleration.apply(s.place).mul(h / 2));
        var place = grid.sub(s.place, half.mul(h));
        return new State(place, grid.sub(half, acceleration.apply(place).mul(h / 2)));
    }
}
