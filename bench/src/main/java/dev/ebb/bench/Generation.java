package dev.ebb.bench;

import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.generate.Generator;
import dev.ebb.nn.generate.Sampling;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Times the generation of text by a GPT-2, with and without a key-value cache: seconds for all
 * tokens after planning and warm-up, and seconds to process a prompt. Checks that both give the
 * same tokens. Other tokens, or more bytes than promised, are a failure; the speed for 500 tokens
 * and more has a threshold.
 *
 * <p>Arguments: layers, width, heads, context and tokens; without any, 4, 256, 4, 512 and 500.
 */
public final class Generation {
    private static final int VOCABULARY = 256;

    /** The threshold of the speedup by the cache, for this number of tokens and more. */
    private static final double LEAST = 10;

    private static final int FROM = 500;

    private Generation() {}

    public static void main(String[] args) {
        var arguments = args.length > 0 ? List.of(args) : List.of("4", "256", "4", "512", "500");
        var n = arguments.stream().mapToInt(Integer::parseInt).toArray();
        int context = n[3];
        int count = n[4];
        var model = Gpt2.of(Gpt2.Config.of(VOCABULARY, context, n[1], n[0], n[2]), new Seed(1));
        var prompt = new int[] {1, 2, 3, 4};
        var thresholds = new Thresholds();
        try (var cpu = new Cpu(Workload.THREADS);
                var generator = new Generator(model, 1, context, Budget.unlimited(), cpu);
                var logits = Ebb.compile((Tensor ids) -> model.logits(ids)).on(cpu)) {
            generator.generate(List.of(prompt), count, Sampling.greedy(), new Seed(1));
            long begun = System.nanoTime();
            var cached = generator.generate(List.of(prompt), count, Sampling.greedy(), new Seed(1));
            double with = (System.nanoTime() - begun) / 1e9;
            double reading = reading(generator, context);
            var all = Arrays.copyOf(prompt, prompt.length + count);
            for (int i = 0; i < 10; i++) logits.apply(window(all, prompt.length, context));
            begun = System.nanoTime();
            for (int i = prompt.length; i < all.length && i <= context; i++) {
                var scores = logits.apply(window(all, i, context)).toFloats();
                all[i] = likeliest(scores, (i - 1) * VOCABULARY);
            }
            double without = (System.nanoTime() - begun) / 1e9;
            var expected =
                    Arrays.copyOfRange(all, prompt.length, Math.min(all.length, context + 1));
            var same = Arrays.equals(expected, Arrays.copyOf(cached.getFirst(), expected.length));
            var report = generator.report();
            double times = without / expected.length / (with / count);
            System.out.printf(
                    Locale.ROOT,
                    "%d tokens: with a cache %.3f s, %.2f ms a token; a prompt of %d tokens read in"
                            + " %.3f s; without a cache %.3f s, %.1f times as long%s; the same"
                            + " tokens: %s; promised %s, measured %s%n",
                    expected.length,
                    with,
                    with / count * 1e3,
                    context - 1,
                    reading,
                    without,
                    times,
                    expected.length >= FROM ? thresholds.atLeast(LEAST, times, "with a cache") : "",
                    same ? "yes" : "NO",
                    Budget.show(report.promisedBytes()),
                    Budget.show(report.measuredBytes()));
            if (!same) throw new IllegalStateException("the cache gives other tokens");
            if (report.measuredBytes() > report.promisedBytes())
                throw new IllegalStateException("more bytes than were promised");
            thresholds.end();
        }
    }

    /**
     * Seconds until the first token after a prompt that fills the context, the best of three runs.
     */
    private static double reading(Generator generator, int context) {
        var prompt = new int[context - 1];
        Arrays.setAll(prompt, i -> i % VOCABULARY);
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < 4; i++) {
            long begun = System.nanoTime();
            generator.generate(List.of(prompt), 1, Sampling.greedy(), new Seed(1));
            if (i > 0) best = Math.min(best, (System.nanoTime() - begun) / 1e9);
        }
        return best;
    }

    private static Array window(int[] tokens, int count, int context) {
        var ids = new long[context];
        for (int i = 0; i < Math.min(count, context); i++) ids[i] = tokens[i];
        return Array.of(Shape.of(1, context), ids);
    }

    private static int likeliest(float[] scores, int from) {
        int best = 0;
        for (int i = 1; i < VOCABULARY; i++) if (scores[from + i] > scores[from + best]) best = i;
        return best;
    }
}
