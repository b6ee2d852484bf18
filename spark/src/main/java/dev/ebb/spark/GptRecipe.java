package dev.ebb.spark;

import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * The character-level GPT of {@code ebb train}, with the same optimizer and schedule.
 *
 * @param horizon the steps over which the learning rate falls
 */
public record GptRecipe(int layers, int width, int heads, int context, long seed, long horizon)
        implements Recipe<Gpt2> {
    private static final double RATE = 2e-3;

    @Override
    public Gpt2 model() {
        var config = Gpt2.Config.of(Corpus.VOCABULARY, context, width, layers, heads);
        return Gpt2.of(config, new Seed(seed).of("model"));
    }

    @Override
    public Tensor loss(Gpt2 model, List<Tensor> batch) {
        return model.loss(batch.getFirst(), batch.getLast());
    }

    @Override
    public Optimizer optimizer() {
        long warmUp = Math.min(20, horizon / 10);
        var rates = LearningRateSchedule.cosine(RATE, RATE / 10, horizon - warmUp).warmedUp(warmUp);
        return new AdamW(new Adam(rates, 0.9, 0.95, 1e-8), 0.1);
    }

    @Override
    public double largestNorm() {
        return 1;
    }
}
