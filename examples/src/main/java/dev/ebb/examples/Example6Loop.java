package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Loop;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** The adjoint of a long simulation, whose states are kept or computed again as the budget asks. */
public final class Example6Loop {
    private Example6Loop() {}

    public static void main(String[] args) {
        System.out.println(gradient(Budget.unlimited()));
    }

    // [loop
    /** Where a pendulum is after many small steps, given where it starts. */
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

    /** What one step hands the next. */
    public record Pendulum(Tensor angle, Tensor speed) {}

    static Array gradient(Budget budget) {
        try (var gradient = Ebb.compile(Ebb.grad(Example6Loop::swung), budget)) {
            return (Array) gradient.apply(Array.of(0.5f, 1f));
        }
    }
    // loop]
}
