package dev.ebb.cli;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.exec.Device;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Draws text from a model, token by token. */
final class Sampler implements AutoCloseable {
    private final int context;
    private final double temperature;
    private final int top;
    private final Compiled<Question, Tensor> next;

    /** Tokens [1, context], and which of them is the last that counts. */
    public record Question(Tensor ids, Tensor last) {}

    /**
     * @param temperature below one the likely becomes likelier; zero takes the likeliest
     * @param top draws among this many likeliest tokens
     */
    Sampler(LanguageModel model, double temperature, int top, Budget budget, Device device) {
        this(model, Math.min(model.context(), 128), temperature, top, budget, device);
    }

    private Sampler(
            LanguageModel model,
            int context,
            double temperature,
            int top,
            Budget budget,
            Device device) {
        this.context = context;
        this.temperature = temperature;
        this.top = top;
        next = Ebb.compile((Question q) -> answer(model, q)).within(budget).on(device);
    }

    /** What follows a token lies after it, and a causal model does not look there. */
    private static Tensor answer(LanguageModel model, Question q) {
        return model.logits(q.ids).indexSelect(1, q.last);
    }

    /** {@code count} tokens that go on from {@code prompt}. */
    int[] sample(int[] prompt, int count, Seed seed) {
        var all = Arrays.copyOf(prompt, prompt.length + count);
        for (int i = prompt.length; i < all.length; i++) {
            int from = Math.max(0, i - context);
            var window = Arrays.copyOf(Arrays.copyOfRange(all, from, i), context);
            var question =
                    new Question(Array.of(Shape.of(1, context), window), Array.of(i - from - 1));
            all[i] = draw(next.apply(question).toDoubles(), seed.uniform(i));
        }
        return Arrays.copyOfRange(all, prompt.length, all.length);
    }

    private int draw(double[] logits, double at) {
        var likely =
                IntStream.range(0, logits.length)
                        .boxed()
                        .sorted(Comparator.comparingDouble((Integer i) -> -logits[i]))
                        .limit(temperature == 0 ? 1 : Math.max(1, top))
                        .toList();
        double most = logits[likely.getFirst()];
        double sharp = temperature == 0 ? 1 : temperature;
        var weights = likely.stream().map(i -> StrictMath.exp((logits[i] - most) / sharp)).toList();
        double left = at * weights.stream().mapToDouble(Double::doubleValue).sum();
        for (int i = 0; i < weights.size(); i++) {
            left -= weights.get(i);
            if (left <= 0) return likely.get(i);
        }
        return likely.getLast();
    }

    @Override
    public void close() {
        next.close();
    }
}
