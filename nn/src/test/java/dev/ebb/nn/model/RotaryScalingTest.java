package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Shape;
import dev.ebb.nn.RotaryScaling;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Scalings of rotary positions for long texts, as given in config.json, against the published
 * formulas in doubles, and the scores of models that use them.
 */
final class RotaryScalingTest {
    private static final int[] IDS = {3, 1, 4, 1, 5, 9, 2, 6, 5, 12, 0, 7, 11, 8, 10, 2, 3, 3};
    private static final int WIDTH = 6;

    @TempDir Path folder;

    /** Speeds by YaRN's formulas, for heads of {@code width}. */
    private static double[] yarn(
            int width,
            double base,
            double s,
            double fast,
            double slow,
            double first,
            boolean round) {
        double low = width * Math.log(first / (fast * 2 * Math.PI)) / (2 * Math.log(base));
        double high = width * Math.log(first / (slow * 2 * Math.PI)) / (2 * Math.log(base));
        if (round) {
            low = Math.floor(low);
            high = Math.ceil(high);
        }
        if (low < 0) low = 0;
        if (high > width - 1) high = width - 1;
        if (low == high) high = high + 0.001;
        var speeds = new double[width / 2];
        for (int d = 0; d < width / 2; d++) {
            double frequency = 1 / Math.pow(base, 2.0 * d / width);
            double ramp = (d - low) / (high - low);
            if (ramp < 0) ramp = 0;
            if (ramp > 1) ramp = 1;
            double kept = 1 - ramp;
            speeds[d] = frequency / s * (1 - kept) + frequency * kept;
        }
        return speeds;
    }

    private static void close(double[] speeds, double[] expected) {
        assertThat(speeds).hasSameSizeAs(expected);
        for (int i = 0; i < speeds.length; i++)
            assertThat(speeds[i]).isCloseTo(expected[i], within(1e-14 * expected[i]));
    }

    @Test
    void speedsOfYarn() {
        for (boolean round : new boolean[] {true, false}) {
            for (double s : new double[] {1, 4, 40}) {
                var scaling = new RotaryScaling.Yarn(s, 32, 1, 4096, round, 1);
                close(scaling.speeds(1e4, 64, 9), yarn(128, 1e4, s, 32, 1, 4096, round));
                close(scaling.speeds(1e6, 40, 9), yarn(80, 1e6, s, 32, 1, 4096, round));
                // so few positions that no pair turns often, and so many that all do
                var few = new RotaryScaling.Yarn(s, 32, 1, 3, round, 1);
                close(few.speeds(100, 3, 9), yarn(6, 100, s, 32, 1, 3, round));
                var many = new RotaryScaling.Yarn(s, 2, 2, 1 << 30, round, 1);
                close(many.speeds(100, 3, 9), yarn(6, 100, s, 2, 2, 1 << 30, round));
            }
        }
    }

    @Test
    void speedsOfDynamic() {
        var scaling = new RotaryScaling.Dynamic(3, 100);
        for (int length : new int[] {1, 100, 101, 250, 5000}) {
            double longer = Math.max(length, 100);
            double grown = 1e4 * Math.pow(3 * longer / 100 - (3 - 1), 128.0 / (128 - 2));
            var expected = new double[64];
            for (int i = 0; i < 64; i++) expected[i] = 1 / Math.pow(grown, 2.0 * i / 128);
            close(scaling.speeds(1e4, 64, length), expected);
        }
        close(scaling.speeds(1e4, 1, 500), new double[] {1});
    }

    private void agrees(TinyLlama tiny, double[] speeds, double size) throws IOException {
        var model = Pretrained.load(tiny.write(folder));
        same(tiny, model, speeds, size);
        // and through a file of Ebb's own, whose metadata must contain everything of the config
        var own = folder.resolve("own.safetensors");
        Safetensors.write(
                own,
                Weights.named(model, Pretrained.naming(model).orElseThrow()),
                Map.of(Pretrained.NOTE, Pretrained.config(model).toString()));
        assertThat(((Llama) Pretrained.load(own)).config().rotary())
                .isEqualTo(((Llama) model).config().rotary());
    }

    private static void same(TinyLlama tiny, LanguageModel model, double[] speeds, double size) {
        same(tiny, model, speeds, size, IDS);
    }

    private static void same(
            TinyLlama tiny, LanguageModel model, double[] speeds, double size, int[] ids) {
        var expected = tiny.plain(speeds, size, TinyLlama::silu).logits(ids);
        var logits = (Array) model.logits(Array.of(Shape.of(1, ids.length), ids));
        for (int t = 0; t < ids.length; t++)
            for (int i = 0; i < expected[t].length; i++)
                assertThat(logits.data().get((long) t * expected[t].length + i))
                        .isCloseTo(expected[t][i], within(1e-4));
    }

    @Test
    void scoresWithYarn() throws IOException {
        var plain =
                new TinyLlama()
                        .say(
                                "rope_scaling",
                                "{\"type\": \"yarn\", \"factor\": 4,"
                                        + " \"original_max_position_embeddings\": 64,"
                                        + " \"beta_fast\": 4}");
        var speeds = yarn(WIDTH, 100, 4, 4, 1, 64, true);
        assertThat(speeds[0]).isEqualTo(1);
        assertThat(speeds[2]).isEqualTo(plain.speeds(100)[2] / 4);
        agrees(plain, speeds, 0.1 * Math.log(4) + 1);
        // without a factor it is the ratio of positions; the size by two shares
        var ratio =
                new TinyLlama(WIDTH)
                        .say("model_type", "\"qwen2\"")
                        .say("architectures", "[\"Qwen2ForCausalLM\"]")
                        .say(
                                "rope_parameters",
                                "{\"rope_type\": \"yarn\", \"rope_theta\": 50,"
                                        + " \"original_max_position_embeddings\": 8,"
                                        + " \"truncate\": false, \"beta_slow\": 0.5,"
                                        + " \"mscale\": 2, \"mscale_all_dim\": 0.5}");
        agrees(
                ratio,
                yarn(WIDTH, 50, 4, 32, 0.5, 8, false),
                (0.2 * Math.log(4) + 1) / (0.05 * Math.log(4) + 1));
        var told =
                new TinyLlama()
                        .say("model_type", "\"mistral\"")
                        .say("architectures", "[\"MistralForCausalLM\"]")
                        .say("sliding_window", "null")
                        .say(
                                "rope_scaling",
                                "{\"type\": \"yarn\", \"factor\": 2, \"attention_factor\": 1.5}");
        agrees(told, yarn(WIDTH, 100, 2, 32, 1, TinyLlama.CONTEXT, true), 1.5);
    }

    /** 18 tokens are a long text for a model first trained on 16, and 16 a short one. */
    @Test
    void scoresWithLongRope() throws IOException {
        var tiny =
                new TinyLlama()
                        .say("original_max_position_embeddings", 16)
                        .say(
                                "rope_scaling",
                                "{\"rope_type\": \"longrope\", \"short_factor\": [1, 1.5, 2],"
                                        + " \"long_factor\": [1.25, 3, 7]}");
        double size = Math.sqrt(1 + Math.log(2) / Math.log(16));
        agrees(tiny, divided(tiny.speeds(100), 1.25, 3, 7), size);
        same(
                tiny,
                Pretrained.load(tiny.write(folder)),
                divided(tiny.speeds(100), 1, 1.5, 2),
                size,
                Arrays.copyOf(IDS, 16));
    }

    private static double[] divided(double[] speeds, double... by) {
        var all = speeds.clone();
        for (int i = 0; i < all.length; i++) all[i] /= by[i];
        return all;
    }

    @Test
    void scoresWithDynamic() throws IOException {
        var scaling = "{\"rope_type\": \"dynamic\", \"factor\": 2.0}";
        var near = new TinyLlama().say("rope_scaling", scaling);
        agrees(near, near.speeds(100), 1);
        var far = new TinyLlama().say("rope_scaling", scaling).say("max_position_embeddings", 10);
        double base = 100 * Math.pow(2.0 * 18 / 10 - 1, 6.0 / 4);
        agrees(far, far.speeds(base), 1);
        assertThat(List.of(far.speeds(base)[2])).isNotEqualTo(List.of(far.speeds(100)[2]));
    }
}
