package dev.ebb.examples;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.Report;
import dev.ebb.exec.timing.Timed;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Keep;
import dev.ebb.plan.PerRegion;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Policy;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.cost.Prices;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.nio.file.Path;

/** Selects values to keep by name, and plans by measured kernel costs or costs read from a file. */
public final class Example8Strategies {
    private Example8Strategies() {}

    public static void main(String[] args) {
        System.out.print(run(keepAttention()).text());
        System.out.print(run(mixed()).text());
    }

    // [names
    static Tensor loss(Tensor w) {
        Tensor h = w;
        for (int i = 0; i < 4; i++) {
            Tensor x = h;
            h =
                    Ebb.region(
                            "block " + i,
                            () -> {
                                var scores = Ebb.name(x.matmul(w.detach()).softmax(-1), "attn");
                                return x.add(scores.matmul(x).tanh());
                            });
        }
        return h.square().sum();
    }

    /** Keeps values that are named or small; all others are recomputed. */
    static Planner keepAttention() {
        return new Keep(Policy.names("attn").or(Policy.atMost(1024)));
    }

    // names]

    // [mixed
    /** Keeps everything except in the first block, where only named values are kept. */
    static Planner mixed() {
        return PerRegion.of(new StoreAll()).in("block 0", new Keep(Policy.names("attn")));
    }

    // mixed]

    static Report run(Planner strategy) {
        try (var gradient =
                Ebb.compile(Ebb.valueAndGrad(Example8Strategies::loss)).with(strategy)) {
            gradient.apply(Array.of(Shape.of(32, 32), new float[1024]));
            return gradient.report();
        }
    }

    // [costs
    /** Plans by the measured times of this machine's kernels, which are stored in the file. */
    static double predicted(Path file) throws IOException {
        Fn<Tensor, Ebb.ValueAndGrad<Tensor>> f = Ebb.valueAndGrad(Example8Strategies::loss);
        var w = Array.of(Shape.of(32, 32), new float[1024]);
        var timed = Timed.on(Devices.best(), file);
        try (var here = Ebb.compile(f).within(Budget.share(1)).costing(timed)) {
            here.plan(w);
        }
        try (var elsewhere = Ebb.compile(f).within(Budget.share(1)).costing(Prices.load(file))) {
            return elsewhere.plan(w).cost();
        }
    }
    // costs]
}
