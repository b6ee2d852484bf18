package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Reversible;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.model.ReversibleGpt;
import dev.ebb.nn.model.Weights;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Gradients;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

class ReversibleTest {
    private static final int STEPS = 200;
    private static final int LAST = 50;
    private static final Cpu CPU = new Cpu(2);

    /** On two threads, steps this small take longer while other tests run. */
    private static final Cpu ALONE = new Cpu(1);

    private static final Gpt2.Config SIZES = Gpt2.Config.of(Corpus.VOCABULARY, 32, 64, 3, 4);

    record State<M>(M model, Optimizer.State<M> optimizer) {}

    /**
     * A text of sixty invented words, each followed by one of four, so that the next word can be
     * learned in part.
     */
    private static Corpus chatter() {
        var words = new ArrayList<String>();
        var random = new Seed(11);
        for (int w = 0; w < 60; w++) {
            var word = new StringBuilder();
            for (int s = 0; s <= random.below(3, 9 * w); s++) {
                word.append("bdfgklmnprst".charAt((int) random.below(12, 9 * w + 2 * s + 1)));
                word.append("aeiou".charAt((int) random.below(5, 9 * w + 2 * s + 2)));
            }
            words.add(word.append(' ').toString());
        }
        var text = new StringBuilder();
        int word = 0;
        for (int i = 0; i < 40_000; i++) {
            text.append(words.get(word));
            word = (int) ((7 * word + 13 * random.below(4, 1000 + i) + 5) % words.size());
        }
        return new Corpus(text.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** The mean loss of the last steps. */
    private static <M extends LanguageModel> double trained(M model, Corpus corpus) {
        var optimizer = AdamW.of(2e-3);
        Fn2<State<M>, Corpus.Batch, Next<State<M>, Tensor>> step =
                (s, b) -> {
                    var loss =
                            Ebb.valueAndGrad((M m) -> m.loss(b.ids(), b.targets()))
                                    .apply(s.model());
                    var gradients = Gradients.clipped(loss.grad(), 1);
                    var next = optimizer.update(s.model(), gradients, s.optimizer());
                    return new Next<>(new State<>(next.params(), next.state()), loss.value());
                };
        double last = 0;
        var start = new State<>(model, optimizer.start(model));
        var whole = Ebb.stepper(step).with(new StoreAll()).on(ALONE);
        try (var stepper = whole.start(start, batch(corpus, 0))) {
            for (int i = 0; i < STEPS; i++) {
                double loss = stepper.step(batch(corpus, i)).item();
                if (i >= STEPS - LAST) last += loss / LAST;
            }
        }
        return last;
    }

    private static Corpus.Batch batch(Corpus corpus, int step) {
        return corpus.batch(8, SIZES.context(), new Seed(7), step);
    }

    /** On a text that never changes, after both have learned all there is to learn. */
    @Test
    void aReversibleGptLearnsAsThePlainOneDoes() {
        var corpus = chatter();
        double start = corpus.unigramEntropy();
        var plain = Gpt2.of(SIZES, new Seed(1));
        double expected = trained(plain, corpus);
        double found = trained(new ReversibleGpt(plain), corpus);
        assertThat(expected).isLessThan(start - 1);
        assertThat(found).isCloseTo(expected, within(0.2));
    }

    record Images(List<ReversibleResidual> blocks, Tensor x) {
        Tensor loss() {
            var stack = Reversible.stack(blocks.stream().map(ReversibleResidual::block).toList());
            return stack.apply(Reversible.Streams.of(x)).sum().square().mean();
        }
    }

    @Test
    void residualBlocksHaveTheSameBitsHoweverTheyArePlanned() {
        var data = new float[2 * 4 * 6 * 6];
        for (int i = 0; i < data.length; i++) data[i] = (float) new Seed(3).normal(i);
        var images =
                new Images(
                        IntStream.range(0, 4)
                                .mapToObj(i -> ReversibleResidual.of(4, 2, new Seed(i)))
                                .toList(),
                        Array.of(Shape.of(2, 4, 6, 6), data));
        Fn<Images, Images> gradient = Ebb.grad((Fn<Images, Tensor>) Images::loss);
        var expected = Ebb.compile(gradient).with(new StoreAll()).on(CPU).apply(images);
        var found = Ebb.compile(gradient).with(new RecomputeAll()).on(CPU).verify(images);
        var a = Tensorwise.list(expected);
        var b = Tensorwise.list(found);
        for (int i = 0; i < a.size(); i++) assertThat(a.get(i).sameBits((Array) b.get(i))).isTrue();
        assertThat(((Array) a.getLast()).data().get(0)).isNotZero();
    }

    /** Weights are updated in place while streams are still being rebuilt with them. */
    @Test
    void trainingWithStreamsRebuiltGivesTheSameWeights() {
        var config = Gpt2.Config.of(Corpus.VOCABULARY, 16, 16, 2, 2);
        var model = new ReversibleGpt(Gpt2.of(config, new Seed(4)));
        var corpus = chatter();
        var optimizer = Sgd.of(1e-2);
        Fn2<State<ReversibleGpt>, Corpus.Batch, Next<State<ReversibleGpt>, Tensor>> step =
                (s, b) -> {
                    var loss =
                            Ebb.valueAndGrad((ReversibleGpt m) -> m.loss(b.ids(), b.targets()))
                                    .apply(s.model());
                    var next = optimizer.update(s.model(), loss.grad(), s.optimizer());
                    return new Next<>(new State<>(next.params(), next.state()), loss.value());
                };
        var start = new State<>(model, optimizer.start(model));
        var first = corpus.batch(4, 16, new Seed(7), 0);
        try (var all = Ebb.stepper(step).on(CPU).start(start, first)) {
            long bytes =
                    all.plan().curve().points().stream()
                            .filter(p -> p.mix().inverted().count() > 0)
                            .mapToLong(Curve.Point::bytes)
                            .min()
                            .orElseThrow();
            try (var least =
                    Ebb.stepper(step).within(Budget.bytes(bytes)).on(CPU).start(start, first)) {
                for (int i = 0; i < 3; i++) {
                    var batch = corpus.batch(4, 16, new Seed(7), i);
                    all.step(batch);
                    least.step(batch);
                }
                assertThat(least.plan().schedule().steps()).anyMatch(s -> s instanceof Step.Invert);
                assertThat(least.report().measuredBytes())
                        .isEqualTo(least.report().promisedBytes())
                        .isLessThanOrEqualTo(bytes);
                assertThat(Weights.digest(least.state().model()))
                        .isEqualTo(Weights.digest(all.state().model()));
            }
        }
    }
}
