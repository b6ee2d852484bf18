package dev.ebb.examples;

import dev.ebb.Devices;
import dev.ebb.nn.Seed;
import dev.ebb.nn.generate.Generator;
import dev.ebb.nn.generate.Sampling;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;

import java.util.List;

/** Continues two prompts in one batch with an untrained model. */
public final class Example13Writing {
    private Example13Writing() {}

    // [writing
    static List<int[]> write(Gpt2 model, List<int[]> prompts) {
        var budget = Budget.of("4MiB");
        try (var generator = new Generator(model, 2, 64, budget, Devices.best())) {
            var sampling = Sampling.plain().temperature(0.8).top(40).nucleus(0.95);
            return generator.generate(prompts, 100, sampling, new Seed(1));
        }
    }

    // writing]

    public static void main(String[] args) {
        var model = Gpt2.of(Gpt2.Config.of(256, 64, 32, 2, 2), new Seed(1));
        for (var drawn : write(model, List.of(new int[] {1, 2, 3}, new int[] {4})))
            System.out.println(drawn.length + " tokens, the first of them " + drawn[0]);
    }
}
