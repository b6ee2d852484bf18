package dev.ebb.nn.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.RotaryScaling;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Llama;
import dev.ebb.nn.model.ReversibleGpt;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Generating with a cache gives the same tokens as applying the model to each whole window of
 * tokens.
 */
class GeneratorTest {
    private static final int CONTEXT = 12;
    private static final Sampling WARM = new Sampling(0.9, 9, 0.95, 1.1);

    static List<AutoregressiveModel> models() {
        var gpt = Gpt2.of(Gpt2.Config.of(17, CONTEXT, 16, 2, 2), new Seed(5));
        return List.of(gpt, new ReversibleGpt(gpt), llama());
    }

    private static AutoregressiveModel llama() {
        return Llama.of(
                new Llama.Config(
                        17,
                        CONTEXT,
                        16,
                        2,
                        4,
                        2,
                        6,
                        24,
                        new Rotary(100, new RotaryScaling.Yarn(4, 4, 1, 16, true, 1.1)),
                        1e-5,
                        Llama.Variant.plain()),
                new Seed(6));
    }

    private static final List<int[]> PROMPTS =
            List.of(new int[] {3}, new int[] {1, 2, 3, 4, 5, 6, 7}, ramp(30));

    private static int[] ramp(int length) {
        var tokens = new int[length];
        Arrays.setAll(tokens, i -> i % 17);
        return tokens;
    }

    @ParameterizedTest
    @MethodSource("models")
    void the_cache_changes_no_token(AutoregressiveModel model) {
        try (var generator = generator(model, 3, Budget.unlimited())) {
            for (var sampling : List.of(Sampling.greedy(), WARM)) {
                var drawn = generator.generate(PROMPTS, 25, sampling, new Seed(9));
                for (int r = 0; r < PROMPTS.size(); r++) {
                    assertThat(drawn.get(r))
                            .isEqualTo(
                                    alone(model, PROMPTS.get(r), 25, sampling, new Seed(9).of(r)));
                }
            }
        }
    }

    /** The same without a cache: the whole window for every token. */
    private static int[] alone(
            AutoregressiveModel model, int[] prompt, int count, Sampling sampling, Seed seed) {
        var seen = new BitSet();
        for (int token : prompt) seen.set(token);
        var all = Arrays.copyOf(prompt, prompt.length + count);
        try (var logits = Ebb.compile((Tensor ids) -> model.logits(ids))) {
            for (int i = prompt.length; i < all.length; i++) {
                int from = i <= CONTEXT ? 0 : (i - CONTEXT + 5) / 6 * 6;
                var window = new long[CONTEXT];
                for (int j = from; j < i; j++) window[j - from] = all[j];
                var scores = logits.apply(Array.of(Shape.of(1, CONTEXT), window)).toFloats();
                int last = (i - from - 1) * model.vocabulary();
                var row = Arrays.copyOfRange(scores, last, last + model.vocabulary());
                all[i] = sampling.draw(row, seen, seed.uniform(i));
                seen.set(all[i]);
            }
        }
        return Arrays.copyOfRange(all, prompt.length, all.length);
    }

    @Test
    void neighbours_and_budgets_change_no_token() {
        var model = llama();
        var least =
                Generator.plan(model, 1, CONTEXT, Budget.unlimited(), Devices.best()).leastBytes();
        try (var three = generator(model, 3, Budget.unlimited());
                var one = generator(model, 1, Budget.bytes(least))) {
            var prompts = List.of(PROMPTS.get(1), PROMPTS.get(0));
            var both = three.generate(prompts, 20, WARM, new Seed(2));
            assertThat(one.generate(prompts.subList(0, 1), 20, WARM, new Seed(2)).getFirst())
                    .isEqualTo(both.getFirst());
            assertThat(one.report().measuredBytes()).isEqualTo(one.report().promisedBytes());
            assertThat(one.report().measuredBytes()).isLessThanOrEqualTo(least);
        }
    }

    @Test
    void a_refusal_names_the_context_that_fits() {
        var model = llama();
        var device = Devices.best();
        long least = Generator.plan(model, 8, 7, Budget.unlimited(), device).leastBytes();
        var budget = Budget.bytes(least);
        int fits = Generator.longestContext(model, 8, CONTEXT, budget, device);
        assertThat(fits).isBetween(7, CONTEXT - 1);
        Generator.plan(model, 8, fits, budget, device);
        assertThatThrownBy(() -> Generator.plan(model, 8, fits + 1, budget, device))
                .isInstanceOf(dev.ebb.plan.OverBudgetException.class);
        assertThatThrownBy(() -> new Generator(model, 8, CONTEXT, budget, device))
                .hasMessageContaining("with a context of " + fits + " tokens");
    }

    @Test
    void stop_words_end_a_row_and_are_left_out() {
        var model = llama();
        try (var generator = generator(model, 1, Budget.unlimited())) {
            var prompt = List.of(PROMPTS.get(1));
            var free = generator.generate(prompt, 20, WARM, new Seed(3)).getFirst();
            var stop = Arrays.copyOfRange(free, 7, 9);
            var told = new ArrayList<Integer>();
            var stopped =
                    generator.generate(
                            prompt,
                            20,
                            WARM,
                            new Seed(3),
                            List.of(stop),
                            (row, tokens) -> Arrays.stream(tokens).forEach(told::add));
            var expected = Arrays.copyOf(free, indexOf(free, stop));
            assertThat(stopped.getFirst()).isEqualTo(expected);
            assertThat(told.stream().mapToInt(i -> i).toArray()).isEqualTo(expected);
        }
    }

    @Test
    void whoever_listens_can_end_a_row() {
        var model = llama();
        try (var generator = generator(model, 2, Budget.unlimited())) {
            var prompts = List.of(PROMPTS.get(1), PROMPTS.get(0));
            var free = generator.generate(prompts, 9, WARM, new Seed(3));
            var told = new int[2];
            var ended =
                    generator.generate(
                            prompts,
                            9,
                            WARM,
                            new Seed(3),
                            List.of(),
                            new Generator.Listener() {
                                @Override
                                public void drawn(int row, int[] tokens) {
                                    told[row] += tokens.length;
                                }

                                @Override
                                public boolean isEnough(int row) {
                                    return row == 1 && told[1] == 4;
                                }
                            });
            assertThat(ended.getFirst()).isEqualTo(free.getFirst());
            assertThat(ended.getLast()).isEqualTo(Arrays.copyOf(free.getLast(), 4));
        }
    }

    @Test
    void scores_that_are_no_numbers_are_refused() {
        var scores = new float[] {1, Float.NaN, 2};
        for (var sampling : List.of(Sampling.greedy(), WARM))
            assertThatThrownBy(() -> sampling.draw(scores, new BitSet(), 0.5))
                    .hasMessageContaining("the score of token 1 is not a number");
    }

    private static int indexOf(int[] all, int[] part) {
        for (int i = 0; ; i++)
            if (Arrays.equals(all, i, i + part.length, part, 0, part.length)) return i;
    }

    @Test
    void draws_follow_their_settings() {
        var scores = new float[] {1, 3, -2, 3, 2};
        var none = new BitSet();
        assertThat(Sampling.greedy().draw(scores, none, 0.9)).isEqualTo(1);
        assertThat(Sampling.plain().top(2).draw(scores, none, 0.999)).isEqualTo(3);
        assertThat(Sampling.plain().nucleus(0.3).draw(scores, none, 0.999)).isEqualTo(1);
        assertThat(Sampling.plain().draw(scores, none, 0.99999999)).isEqualTo(2);
        var seen = new BitSet();
        seen.set(1);
        assertThat(Sampling.greedy().repetition(1.5).draw(scores, seen, 0.5)).isEqualTo(3);
        assertThatThrownBy(() -> Sampling.plain().nucleus(0)).hasMessageContaining("(0, 1]");
    }

    private static Generator generator(AutoregressiveModel model, int batch, Budget budget) {
        return new Generator(model, batch, CONTEXT, budget, Devices.best());
    }
}
