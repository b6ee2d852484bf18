package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Block;
import dev.ebb.nn.Embedding;
import dev.ebb.nn.FeedForward;
import dev.ebb.nn.Init;
import dev.ebb.nn.LayerNorm;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.SelfAttention;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Precision;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Training steps of language models. */
final class DeviceGpt {
    private DeviceGpt() {}

    /** The sizes of a model and its batch. */
    record Sizes(int layers, int width, int heads, int context, int batch, int vocabulary) {}

    /** A GPT whose head is a layer of its own. */
    public record Gpt(
            Embedding tokens,
            Embedding positions,
            List<Block> blocks,
            LayerNorm norm,
            Linear last,
            int context,
            int vocabulary)
            implements LanguageModel {
        @Override
        public Tensor logits(Tensor ids) {
            Tensor x = tokens.apply(ids).add(positions.weight().slice(0, 0, ids.dim(-1)));
            for (int i = 0; i < blocks.size(); i++) {
                var block = blocks.get(i);
                var in = x;
                x = Ebb.region("block " + i, () -> block.apply(in));
            }
            return last.apply(norm.apply(x));
        }
    }

    /** What training carries from step to step. */
    public record State<M>(M model, Optimizer.State<M> optimizer) {}

    /** Tokens and those after them. */
    public record Batch(Tensor ids, Tensor targets) {}

    static DeviceTraining.Workload<State<Gpt>, Batch> gpt(String title, Sizes s, DType type) {
        var init = Init.uniform(0.035);
        var seed = new Seed(1);
        var blocks =
                IntStream.range(0, s.layers()).mapToObj(i -> block(s, init, seed.of(i))).toList();
        var model =
                new Gpt(
                        Embedding.of(s.vocabulary(), s.width(), init, seed.of("tokens")),
                        Embedding.of(s.context(), s.width(), init, seed.of("positions")),
                        blocks,
                        LayerNorm.of(s.width(), 1e-5),
                        Linear.of(s.width(), s.vocabulary(), init, seed.of("head")),
                        s.context(),
                        s.vocabulary());
        return language(title, model, s.batch(), type);
    }

    private static Block block(Sizes s, Init init, Seed seed) {
        int width = s.width();
        return new Block(
                LayerNorm.of(width, 1e-5),
                new SelfAttention(
                        new SelfAttention.Fused(
                                Linear.of(width, 3 * width, init, seed.of("attention"))),
                        Linear.of(width, width, init, seed.of("out")),
                        SelfAttention.Heads.causal(s.heads()),
                        Optional.empty()),
                LayerNorm.of(width, 1e-5),
                FeedForward.plain(
                        width, 4 * width, Activation.GELU_TANH, init, init, seed.of("feed")));
    }

    /** A step of a language model; weights stay in f32. */
    static <M extends LanguageModel> DeviceTraining.Workload<State<M>, Batch> language(
            String title, M model, int batch, DType type) {
        var random = new SplittableRandom(5);
        var shape = Shape.of(batch, model.context());
        int[] ids = random.ints(shape.size(), 0, model.vocabulary()).toArray();
        int[] targets = random.ints(shape.size(), 0, model.vocabulary()).toArray();
        return new DeviceTraining.Workload<>(
                title,
                type,
                new State<>(model, AdamW.of(3e-4).start(model)),
                new Batch(Array.of(shape, ids), Array.of(shape, targets)),
                (state, b) -> step(state, b, type));
    }

    private static <M extends LanguageModel> Next<State<M>, Tensor> step(
            State<M> state, Batch batch, DType type) {
        var loss =
                Ebb.valueAndGrad(
                                (M model) ->
                                        (type == DType.F32 ? model : Precision.rounded(model, type))
                                                .loss(batch.ids(), batch.targets()))
                        .apply(state.model());
        var updated = AdamW.of(3e-4).update(state.model(), loss.grad(), state.optimizer());
        return new Next<>(new State<>(updated.params(), updated.state()), loss.value());
    }
}
