package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.exec.Report;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Mlp;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Collections;
import java.util.List;

/** The same gradient in less memory, with the same bits. */
public final class Example2FirstBudget {
    private Example2FirstBudget() {}

    public static void main(String[] args) {
        var all = run(Budget.share(1)).report();
        show(all);
        // one activation of 256 x 32 numbers less, with some slack
        show(run(Budget.bytes(all.promisedBytes() - 40_000)).report());
        System.out.println(refusal());
    }

    private static void show(Report report) {
        System.out.println(
                "promised "
                        + report.promisedBytes()
                        + ", measured "
                        + report.measuredBytes()
                        + ", computed again "
                        + report.recomputed());
    }

    /** A gradient and the report of its run. */
    record Run(Mlp gradient, Report report) {}

    // [first-budget
    static Run run(Budget budget) {
        var net = Mlp.of(Collections.nCopies(9, 32), Activation.TANH, new Seed(1));
        var x = Array.make(Type.of(DType.F32, 256, 32), b -> b.set(0, 1));
        try (var gradient = Ebb.compile(Ebb.grad((Mlp m) -> loss(m, x))).within(budget)) {
            return new Run(gradient.apply(net), gradient.report());
        }
    }

    static Tensor loss(Mlp net, Tensor x) {
        return net.apply(x).square().mean();
    }

    // first-budget]

    // [refusal
    static String refusal() {
        try {
            run(Budget.bytes(1));
            return "it fits";
        } catch (OverBudgetException e) {
            return "at least " + e.leastBytes() + " bytes are needed";
        }
    }

    // refusal]

    // [explain
    static String explained(Budget budget) {
        var net = Mlp.of(List.of(8, 8, 8), Activation.TANH, new Seed(1));
        var x = Array.make(Type.of(DType.F32, 4, 8), b -> b.set(0, 1));
        try (var gradient = Ebb.compile(Ebb.grad((Mlp m) -> loss(m, x))).within(budget)) {
            return gradient.plan(net).explain();
        }
    }
    // explain]
}
