package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** A network that learns the exclusive or; the optimizer is part of the program. */
public final class Example4Training {
    private Example4Training() {}

    public static void main(String[] args) {
        System.out.println("loss " + train(200));
    }

    // [training
    /** The state that is carried from step to step. */
    public record State(Mlp net, Optimizer.State<Mlp> optimizer) {}

    /** The input of each step. */
    public record Batch(Tensor x, Tensor y) {}

    static final AdamW RULE = AdamW.of(0.03);

    static Next<State, Tensor> step(State s, Batch b) {
        var loss = Ebb.valueAndGrad((Mlp net) -> net.apply(b.x()).mseLoss(b.y())).apply(s.net());
        var next = RULE.update(s.net(), loss.grad(), s.optimizer());
        return new Next<>(new State(next.params(), next.state()), loss.value());
    }

    static double train(int steps) {
        var net = Mlp.of(List.of(2, 16, 1), Activation.TANH, new Seed(1));
        var start = new State(net, RULE.start(net));
        var batch =
                new Batch(
                        Array.of(Shape.of(4, 2), 0f, 0f, 0f, 1f, 1f, 0f, 1f, 1f),
                        Array.of(Shape.of(4, 1), 0f, 1f, 1f, 0f));
        double loss = Double.NaN;
        try (var training =
                Ebb.stepper(Example4Training::step)
                        .within(Budget.mebibytes(16))
                        .start(start, batch)) {
            for (int i = 0; i < steps; i++) loss = training.step(batch).item();
        }
        return loss;
    }
    // training]
}
