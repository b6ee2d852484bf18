package dev.ebb.examples;

import dev.ebb.Cell;
import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.nio.file.Path;

/** The adjoint of a long simulation, whose states are kept or recomputed as the budget requires. */
public final class Example6Loop {
    private Example6Loop() {}

    public static void main(String[] args) {
        System.out.println(gradient(Budget.unlimited()));
    }

    // [loop
    /** The state of a pendulum after many small steps, as a function of its initial state. */
    static Tensor swung(Tensor start) {
        var end =
                Loop.repeat(
                        200,
                        new Pendulum(start, start.mul(0)),
                        p -> {
                            var speed = p.speed().sub(p.angle().sin().mul(0.01));
                            return new Pendulum(p.angle().add(speed.mul(0.01)), speed);
                        });
        return end.angle().sum();
    }

    /** The state that is carried from step to step. */
    public record Pendulum(Tensor angle, Tensor speed) {}

    static Tensor gradient(Budget budget) {
        try (var gradient = Ebb.compile(Ebb.grad(Example6Loop::swung)).within(budget)) {
            return gradient.apply(Array.of(0.5f, 1f));
        }
    }

    // loop]

    // [slots
    /**
     * Keeps four states, whatever the loop's length; the others are recomputed, as rarely as
     * possible.
     */
    static Tensor gradientFromFourStates() {
        try (var gradient = Ebb.compile(Ebb.grad(Example6Loop::swung)).with(new Binomial(4))) {
            return gradient.apply(Array.of(0.5f, 1f));
        }
    }

    /**
     * A loop whose iterations have growing costs, so that states are kept where recomputation is
     * expensive.
     */
    static Tensor growing(Tensor start, Tensor pushes) {
        return Loop.<Tensor, Tensor, Tensor>scan(
                        start,
                        pushes,
                        round -> 1 + round,
                        (x, push) -> new Next<>(x.add(push).sin(), x))
                .carry();
    }

    // slots]

    // [loop-disk
    /** Keeps two states in memory, and eight more in a file in {@code folder}. */
    static Tensor gradientFromBothPlaces(Path folder) {
        var budget = Budget.mebibytes(64).with(Disk.in(folder, 1L << 20));
        try (var gradient =
                Ebb.compile(Ebb.grad(Example6Loop::swung))
                        .within(budget)
                        .with(new Binomial(2, 8))) {
            return gradient.apply(Array.of(0.5f, 1f));
        }
    }

    // loop-disk]

    // [cell
    /** Writes one element of a variable in every iteration, in place. */
    static Tensor damped(Tensor start) {
        return Loop.repeat(
                10,
                start,
                carry -> {
                    var x = new Cell(carry);
                    x.update(Tensor::sin);
                    x.assign(0, 0, 1, carry.literal(0.5));
                    x.assignWhere(carry.gt(1), carry.literal(1));
                    return x.get();
                });
    }
    // cell]
}
