package dev.ebb.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Llama;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.UNet;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Conv;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

final class LayersTest {
    private static final Seed SEED = new Seed(3);
    private static final Type QKV = Type.of(DType.F32, 2, 8, 48);

    private static Array noise(int... dims) {
        return Init.normal(1).of(Shape.of(dims), SEED.of("noise"));
    }

    @Test
    void theSameSeedGivesTheSameBits() {
        var a = Init.normal(1).of(Shape.of(100), SEED);
        assertThat(a.sameBits(Init.normal(1).of(Shape.of(100), SEED))).isTrue();
        assertThat(a.sameBits(Init.normal(1).of(Shape.of(100), SEED.of("other")))).isFalse();
        double sum = 0;
        double squares = 0;
        for (double x : Init.normal(1).of(Shape.of(10_000), SEED).toDoubles()) {
            sum += x;
            squares += x * x;
        }
        assertThat(sum / 10_000).isCloseTo(0, within(0.05));
        assertThat(squares / 10_000).isCloseTo(1, within(0.05));
    }

    @Test
    void everyElementIsADrawOfItsOwn() {
        for (int size : new int[] {0, 1, 16_384, 50_001}) {
            var flat = Init.uniform(2).of(Shape.of(size), SEED).toDoubles();
            var bell = Init.normal(2).of(Shape.of(size), SEED).toDoubles();
            for (int i = 0; i < size; i++) {
                assertThat(flat[i]).isEqualTo((float) (2 * (2 * SEED.uniform(i) - 1)));
                double radius = StrictMath.sqrt(-2 * StrictMath.log(SEED.uniform(2L * i)));
                double angle = 2 * Math.PI * SEED.uniform(2L * i + 1);
                assertThat(bell[i]).isEqualTo((float) (2 * (radius * StrictMath.cos(angle))));
            }
        }
    }

    @Test
    void batchNormGivesItsNextStatistics() {
        var norm = BatchNorm.of(2);
        var x = Array.of(Shape.of(2, 2), 1f, 10f, 3f, 30f);
        var seen = norm.train(x, BatchNorm.Statistics.of(2));
        var mean = seen.next().mean().toDoubles();
        var variance = seen.next().variance().toDoubles();
        assertThat(mean).containsExactly(new double[] {0.2, 2}, within(1e-6));
        assertThat(variance).containsExactly(new double[] {1.1, 20.9}, within(1e-4));
        var used = (Array) norm.apply(x, seen.next());
        assertThat(used.data().get(0)).isCloseTo((1 - 0.2) / Math.sqrt(1.1), within(1e-4));
    }

    @Test
    void dropoutZerosAShareAndKeepsTheMean() {
        var y = (Array) new Dropout(0.25).train(Init.ones().of(Shape.of(4000), SEED), Key.of(1));
        long zeros = 0;
        for (double v : y.toDoubles()) if (v == 0) zeros++;
        assertThat(zeros).isBetween(900L, 1100L);
        assertThat(y.toDoubles()).containsOnly(0, (double) (float) (4 / 3.0));
    }

    private static Llama llama() {
        return Llama.of(
                new Llama.Config(
                        11, 8, 16, 1, 4, 2, 4, 24, Rotary.of(1e4), 1e-5, Llama.Variant.plain()),
                SEED);
    }

    /**
     * Angles are computed in f64: at a high position the error of an f32 angle would be much
     * larger.
     */
    @Test
    void rotaryTablesHaveThePrecisionOfWhatIsRotated() {
        int far = 123_456;
        var speeds = new double[] {1, 1 / Math.pow(500, 0.5)};
        for (var dtype : List.of(DType.F64, DType.F32)) {
            var x = Array.of(new Type(dtype, Shape.of(1, 1, 2, 4)), 1, 1, 0, 0, 1, 1, 0, 0);
            var y = (Array) Rotary.of(500).apply(x, far);
            assertThat(y.dtype()).isEqualTo(dtype);
            double bound = dtype == DType.F64 ? 1e-14 : 1e-7;
            for (int t = 0; t < 2; t++) {
                for (int i = 0; i < 2; i++) {
                    double angle = (far + t) * speeds[i];
                    double near = dtype == DType.F64 ? 4 * Math.ulp(angle) : 1e-7;
                    near = Math.max(near, bound);
                    assertThat(y.data().get(4 * t + i)).isCloseTo(Math.cos(angle), within(near));
                    assertThat(y.data().get(4 * t + 2 + i))
                            .isCloseTo(Math.sin(angle), within(near));
                }
            }
        }
    }

    @Test
    void aCausalBlockDoesNotSeeTheFuture() {
        var model = llama();
        var before = (Array) model.logits(Array.of(Shape.of(1, 4), 1, 2, 3, 4));
        var after = (Array) model.logits(Array.of(Shape.of(1, 4), 1, 2, 3, 9));
        for (int i = 0; i < 3 * 11; i++)
            assertThat(after.data().get(i)).isEqualTo(before.data().get(i));
        assertThat(after.data().get(3 * 11)).isNotEqualTo(before.data().get(3 * 11));
    }

    @Test
    void aMaskThatHidesTheFutureIsCausal() {
        int time = 5;
        var causal = attention(new SelfAttention.Heads(2, 2, true), noise(8, 24));
        var open = attention(new SelfAttention.Heads(2, 2, false), noise(8, 24));
        var hidden = new float[time * time];
        for (int i = 0; i < hidden.length; i++)
            hidden[i] = i % time > i / time ? Float.NEGATIVE_INFINITY : 0;
        var x = noise(3, time, 8);
        close(open.apply(x, Array.of(Shape.of(time, time), hidden)), causal.apply(x));
    }

    @Test
    void groupedQueriesShareKeysAndValues() {
        var query = noise(8, 8);
        var keys = noise(8, 4);
        var values = Init.normal(1).of(Shape.of(8, 4), SEED.of("values"));
        var few = new SelfAttention.Heads(4, 2, true);
        var many = new SelfAttention.Heads(4, 4, true);
        var x = noise(2, 5, 8);
        close(
                attention(few, Tensors.concat(List.of(query, keys, values), 1)).apply(x),
                attention(many, Tensors.concat(List.of(query, twice(keys), twice(values)), 1))
                        .apply(x));
    }

    /** Each of two heads of width two, twice. */
    private static Tensor twice(Tensor heads) {
        var first = heads.slice(1, 0, 2);
        var second = heads.slice(1, 2, 4);
        return Tensors.concat(List.of(first, first, second, second), 1);
    }

    private static SelfAttention attention(SelfAttention.Heads heads, Tensor in) {
        return new SelfAttention(
                new SelfAttention.Fused(new Projection(in)),
                new Projection(noise(8, 8)),
                heads,
                Optional.empty());
    }

    /**
     * The gradients of queries, keys and values are written directly in the layout of the
     * projection.
     */
    @Test
    void theGradientOfAGptPutsNothingTogether() {
        var model = Gpt2.of(Gpt2.Config.of(11, 8, 16, 2, 4), SEED);
        var ids = Array.of(Shape.of(2, 8), new long[16]);
        var gradient = Ebb.compile(Ebb.grad((Gpt2 m) -> m.loss(ids, ids)));
        var nodes = gradient.plan(model).schedule().problem().graph().nodes();
        assertThat(nodes).noneMatch(n -> n.kernel() instanceof Kernel.Assemble);
        assertThat(nodes.stream().filter(n -> n.kernel() instanceof Kernel.AttendGrad))
                .hasSize(2)
                .allSatisfy(n -> assertThat(n.outputTypes()).containsExactly(QKV));
    }

    private static void close(Tensor found, Tensor expected) {
        assertThat(found.toDoubles()).containsExactly(expected.toDoubles(), within(1e-5));
    }

    @Test
    void llamaNamesAreThePublishedOnes() {
        var model = llama();
        var named = Weights.named(model, Naming.llama());
        assertThat(named.keySet())
                .containsExactlyInAnyOrder(
                        "model.embed_tokens.weight",
                        "model.layers.0.input_layernorm.weight",
                        "model.layers.0.self_attn.q_proj.weight",
                        "model.layers.0.self_attn.k_proj.weight",
                        "model.layers.0.self_attn.v_proj.weight",
                        "model.layers.0.self_attn.o_proj.weight",
                        "model.layers.0.post_attention_layernorm.weight",
                        "model.layers.0.mlp.gate_proj.weight",
                        "model.layers.0.mlp.up_proj.weight",
                        "model.layers.0.mlp.down_proj.weight",
                        "model.norm.weight",
                        "lm_head.weight");
        var key = named.get("model.layers.0.self_attn.k_proj.weight");
        assertThat(key).isNotNull();
        assertThat(named.get("lm_head.weight"))
                .extracting(Array::shape)
                .isEqualTo(Shape.of(11, 16));
    }

    @Test
    void shapesOfConvolutionsAndRecurrentLayers() {
        var conv = Conv1d.of(3, 5, 3, Conv.plain().stride(2).padding(1), SEED);
        assertThat(conv.apply(noise(2, 3, 8)).shape()).isEqualTo(Shape.of(2, 5, 4));
        assertThat(Gru.of(3, 4, SEED).apply(noise(2, 5, 3)).out().shape())
                .isEqualTo(Shape.of(2, 5, 4));
        var unet = UNet.of(1, 2, 8, 2, SEED);
        assertThat(unet.apply(noise(1, 1, 8, 8)).shape()).isEqualTo(Shape.of(1, 2, 8, 8));
        var gradient = Ebb.grad((UNet u) -> u.apply(noise(1, 1, 8, 8)).square().mean()).apply(unet);
        for (Tensor g : Tensorwise.list(gradient)) assertThat(((Array) g).data().get(0)).isFinite();
    }

    @Test
    void batchesAreAFunctionOfTheSeedAndTheStep() {
        var corpus = Corpus.of("abcdefghijklmnopqrstuvwxyz");
        var a = corpus.batch(2, 4, SEED, 5);
        var ids = a.ids().toLongs();
        var targets = a.targets().toLongs();
        for (int i = 0; i < ids.length; i++) assertThat(targets[i]).isEqualTo(ids[i] + 1);
        assertThat(corpus.batch(2, 4, SEED, 5).ids().toLongs()).isEqualTo(ids);
        assertThat(corpus.batch(2, 4, SEED, 6).ids().toLongs()).isNotEqualTo(ids);
        assertThat(Corpus.of("abab").unigramEntropy()).isCloseTo(Math.log(2), within(1e-12));
    }
}
