package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * Models loaded from a published file and its config compute the same as plain loops over doubles.
 */
final class PretrainedTest {
    private static final int[] IDS = {3, 1, 4, 1, 5, 9, 2, 6, 5, 12, 0, 7, 11, 8, 10, 2, 3, 3};

    @TempDir Path folder;

    private void agrees(TinyLlama tiny, Path file, double[] speeds) throws IOException {
        agrees(tiny, file, speeds, TinyLlama::silu);
    }

    private void agrees(TinyLlama tiny, Path file, double[] speeds, DoubleUnaryOperator activation)
            throws IOException {
        var expected = tiny.plain(speeds, activation).logits(IDS);
        var model = Pretrained.load(file);
        same(model, expected);
        // and again through a file of Ebb's own, whose metadata must contain everything of the
        // config
        var own = folder.resolve("own.safetensors");
        Safetensors.write(
                own,
                Weights.named(model, Pretrained.naming(model).orElseThrow()),
                Map.of(Pretrained.NOTE, Pretrained.config(model).toString()));
        var again = Pretrained.load(own);
        assertThat(((Llama) again).config()).isEqualTo(((Llama) model).config());
        same(again, expected);
    }

    private static void same(LanguageModel model, double[][] expected) {
        var logits = (Array) model.logits(Array.of(Shape.of(1, IDS.length), IDS));
        double largest = 0;
        for (var row : expected) for (double v : row) largest = Math.max(largest, Math.abs(v));
        for (int t = 0; t < IDS.length; t++) {
            for (int i = 0; i < expected[t].length; i++) {
                assertThat(logits.data().get((long) t * expected[t].length + i))
                        .as("score %d at position %d", i, t)
                        .isCloseTo(expected[t][i], within(2e-5 * largest));
            }
        }
    }

    @Test
    void rope_theta_beside_and_inside_rope_parameters() throws IOException {
        var beside = new TinyLlama();
        agrees(beside, beside.write(folder), beside.speeds(100));
        var inside = new TinyLlama(6);
        inside.say("rope_parameters", "{\"rope_theta\": 37.5, \"rope_type\": \"default\"}");
        agrees(inside, inside.write(folder), inside.speeds(37.5));
        var neither = new TinyLlama(6);
        agrees(neither, neither.write(folder), neither.speeds(10000));
    }

    @Test
    void linear_scaling_in_all_its_spellings() throws IOException {
        var older = new TinyLlama().say("rope_scaling", "{\"type\": \"linear\", \"factor\": 4.0}");
        var speeds = older.speeds(100);
        for (int i = 0; i < speeds.length; i++) speeds[i] /= 4;
        agrees(older, older.write(folder), speeds);
        var newer =
                new TinyLlama().say("rope_scaling", "{\"rope_type\": \"linear\", \"factor\": 4}");
        agrees(newer, newer.write(folder), speeds);
        var inside =
                new TinyLlama(6)
                        .say(
                                "rope_parameters",
                                "{\"rope_type\": \"linear\", \"factor\": 4, \"rope_theta\": 100}");
        agrees(inside, inside.write(folder), speeds);
    }

    /** Each pair in another range: unchanged, interpolated, slowed down. */
    @Test
    void llama3_scaling() throws IOException {
        var tiny =
                new TinyLlama()
                        .say(
                                "rope_scaling",
                                """
                                {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                 "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
                                """);
        var speeds = tiny.speeds(100);
        var expected = speeds.clone();
        for (int i = 0; i < speeds.length; i++) {
            double wave = 2 * Math.PI / speeds[i];
            if (wave > 64 / 1.0) expected[i] = speeds[i] / 8;
            else if (wave >= 64 / 4.0) {
                double smooth = (64 / wave - 1.0) / (4.0 - 1.0);
                expected[i] = (1 - smooth) * speeds[i] / 8 + smooth * speeds[i];
            }
        }
        assertThat(expected[0]).isEqualTo(speeds[0]);
        assertThat(expected[1]).isStrictlyBetween(speeds[1] / 8, speeds[1]);
        assertThat(expected[2]).isEqualTo(speeds[2] / 8);
        agrees(tiny, tiny.write(folder), expected);
    }

    @Test
    void every_activation() throws IOException {
        DoubleUnaryOperator tanh =
                x -> x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
        var all =
                Map.<String, DoubleUnaryOperator>of(
                        "silu",
                        TinyLlama::silu,
                        "gelu",
                        x -> x * normal(x),
                        "gelu_new",
                        tanh,
                        "gelu_pytorch_tanh",
                        tanh,
                        "relu",
                        x -> Math.max(x, 0));
        for (var one : all.entrySet()) {
            var tiny = new TinyLlama().say("hidden_act", '"' + one.getKey() + '"');
            agrees(tiny, tiny.write(folder), tiny.speeds(100), one.getValue());
        }
    }

    /** The share of a normal distribution below x, by Simpson's rule. */
    private static double normal(double x) {
        int n = 2000;
        double sum = 0;
        for (int i = 0; i <= n; i++) {
            double t = x * i / n;
            sum += Math.exp(-t * t / 2) * (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2);
        }
        return 0.5 + sum * x / n / 3 / Math.sqrt(2 * Math.PI);
    }

    @Test
    void biases() throws IOException {
        var all = new TinyLlama().say("attention_bias", true).say("mlp_bias", true);
        all.attentionBiases();
        all.outBiases();
        all.feedForwardBiases();
        agrees(all, all.write(folder), all.speeds(100));
        var inward = new TinyLlama().say("model_type", "\"qwen2\"");
        inward.say("architectures", "[\"Qwen2ForCausalLM\"]");
        inward.say("use_sliding_window", false).say("sliding_window", 4);
        inward.attentionBiases();
        agrees(inward, inward.write(folder), inward.speeds(100));
        // Qwen's defaults for absent keys: no window, or one from layer 28 on
        inward.say("use_sliding_window", "null");
        agrees(inward, inward.write(folder), inward.speeds(100));
        inward.say("use_sliding_window", true);
        agrees(inward, inward.write(folder), inward.speeds(100));
        inward.say("max_window_layers", 1);
        assertThatThrownBy(() -> Pretrained.load(inward.write(folder)))
                .hasMessageContaining("sliding_window")
                .hasMessageContaining("not from layer 1 on");
    }

    @Test
    void a_head_may_have_a_width_of_its_own() throws IOException {
        var tiny = new TinyLlama(10).say("head_dim", 10);
        agrees(tiny, tiny.write(folder), tiny.speeds(10000));
    }

    @Test
    void a_tied_output_layer_is_the_embedding_and_has_no_weights() throws IOException {
        var tiny = new TinyLlama().say("tie_word_embeddings", true);
        tiny.tensors.remove("lm_head.weight");
        agrees(tiny, tiny.write(folder), tiny.speeds(100));
        long numbers = tiny.tensors.values().stream().mapToLong(a -> a.type().size()).sum();
        assertThat(Weights.count(Pretrained.load(tiny.write(folder)))).isEqualTo(numbers);
        // published again as a copy
        tiny.tensors.put("lm_head.weight", tiny.tensors.get("model.embed_tokens.weight"));
        agrees(tiny, tiny.write(folder), tiny.speeds(100));
        assertThat(Weights.count(Pretrained.load(tiny.write(folder)))).isEqualTo(numbers);
    }

    @Test
    void shards() throws IOException {
        var tiny = new TinyLlama();
        agrees(tiny, tiny.shard(folder), tiny.speeds(100));
    }

    @Test
    void gpt2_takes_its_activation_and_inner_width() throws IOException {
        var config = new Gpt2.Config(11, 8, 12, 2, 3, 20, Activation.RELU, 1e-3);
        var model = Gpt2.of(config, new Seed(1));
        var file = folder.resolve("gpt2.safetensors");
        Safetensors.write(
                file,
                Weights.named(model, Naming.gpt2()),
                Map.of(
                        Pretrained.NOTE,
                        """
                        {"n_head": 3, "n_inner": 20, "activation_function": "relu",
                         "layer_norm_epsilon": 0.001, "n_layer": 2}
                        """));
        var read = (Gpt2) Pretrained.load(file);
        assertThat(read.config()).isEqualTo(config);
        assertThat(Weights.digest(read)).isEqualTo(Weights.digest(model));
    }
}
