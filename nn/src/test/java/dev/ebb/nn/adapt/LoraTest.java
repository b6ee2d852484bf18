package dev.ebb.nn.adapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Llama;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;

class LoraTest {
    private static final Array IDS = Array.of(new int[][] {{1, 5, 2, 9, 3}, {7, 7, 0, 4, 8}});

    private static Gpt2 gpt() {
        return Gpt2.of(Gpt2.Config.of(11, 8, 16, 2, 2), new Seed(1));
    }

    private static Llama llama() {
        var sizes = Llama.Config.of(11, 8, 16, 2, 4);
        var config =
                new Llama.Config(11, 8, 16, 2, 4, 2, 4, 24, Rotary.of(1e4), 1e-5, sizes.variant());
        return Llama.of(config, new Seed(2));
    }

    /** Adapters that have learned something: no matrix is zero. */
    private static LoraAdapters trained(AutoregressiveModel model, LoraConfig config) {
        var start = LoraAdapters.of(model, config, new Seed(3));
        var init = Init.normal(0.3);
        return Tensorwise.map(start, t -> init.of(t.shape(), new Seed(t.shape().size())));
    }

    private static void same(AutoregressiveModel a, AutoregressiveModel b, double tolerance) {
        var left = a.logits(IDS).toFloats();
        var right = b.logits(IDS).toFloats();
        for (int i = 0; i < left.length; i++)
            assertThat((double) left[i]).isCloseTo(right[i], within(tolerance));
    }

    @Test
    void beginsAsTheModelItself() {
        var model = gpt();
        var adapters = LoraAdapters.of(model, LoraConfig.of(4), new Seed(3));
        assertThat(adapters.on(model).logits(IDS).sameBits(model.logits(IDS))).isTrue();
        assertThat(adapters.layers().keySet())
                .contains("blocks.0.attention.in.all", "blocks.1.feedForward.down")
                .hasSize(8);
    }

    @Test
    void computesWhatItsDefinitionSays() {
        var base = new Linear(Array.of(new float[][] {{1, 2}, {3, 4}}), Array.of(10f, 20f));
        var pair =
                new Lora.Pair(
                        Array.of(new float[][] {{1}, {-1}}), Array.of(new float[][] {{0.5f, 2}}));
        var x = Array.of(new float[][] {{2, 3}});
        // x W + b = (21, 36); x down = -1; up -> (-0.5, -2); four times that
        assertThat(new Lora(base, pair, 4).apply(x).toFloats()).containsExactly(19f, 28f);
        assertThat(new Lora(base, pair, 4).merged().apply(x).toFloats()).containsExactly(19f, 28f);
    }

    @Test
    void mergedWeightsGiveTheSameLogits() {
        for (var model : List.of(gpt(), llama())) {
            var adapters = trained(model, LoraConfig.of(3));
            var apart = adapters.on(model);
            assertThat(apart.logits(IDS).sub(model.logits(IDS)).abs().amax().item())
                    .isGreaterThan(1e-3);
            same(adapters.mergedInto(model), apart, 1e-5);
        }
    }

    @Test
    void gradientsAreOfTheAdaptersAlone() {
        var model = gpt();
        var adapters = trained(model, LoraConfig.of(2).at("c_attn"));
        var loss = Ebb.valueAndGrad((LoraAdapters a) -> a.on(model).loss(IDS, IDS)).apply(adapters);
        var analytic = Tensorwise.list(loss.grad());
        assertThat(analytic).hasSize(4);
        // by differences, for one element of each matrix
        for (int place = 0; place < analytic.size(); place++) {
            int at = place;
            double up = moved(model, adapters, at, 1e-2);
            double down = moved(model, adapters, at, -1e-2);
            double slope = analytic.get(at).toFloats()[1];
            assertThat((up - down) / 2e-2).isCloseTo(slope, within(2e-3 + 0.02 * Math.abs(slope)));
        }
    }

    private static double moved(
            AutoregressiveModel model, LoraAdapters adapters, int place, double by) {
        var tensors = new ArrayList<>(Tensorwise.list(adapters));
        var data = tensors.get(place).toFloats();
        data[1] += (float) by;
        tensors.set(place, Array.of(tensors.get(place).shape(), data));
        return Tensorwise.rebuild(adapters, tensors).on(model).loss(IDS, IDS).item();
    }

    @Test
    void filesHaveThePublishedLayout(@TempDir Path folder) throws IOException {
        var model = gpt();
        var adapters = trained(model, LoraConfig.of(3).at("c_attn"));
        LoraFiles.write(folder, adapters, model, "base");
        try (var file = Safetensors.open(folder.resolve("adapter_model.safetensors"))) {
            var a = "base_model.model.transformer.h.1.attn.c_attn.lora_A.weight";
            var b = "base_model.model.transformer.h.1.attn.c_attn.lora_B.weight";
            assertThat(file.names()).contains(a, b).hasSize(4);
            assertThat(file.read(a).shape()).isEqualTo(Shape.of(3, 16));
            assertThat(file.read(b).shape()).isEqualTo(Shape.of(48, 3));
            var down = adapters.layers().get("blocks.1.attention.in.all").down();
            assertThat(file.read(a).get(2, 5)).isEqualTo(((Array) down).get(5, 2));
        }
        var config = Json.parse(Files.readString(folder.resolve("adapter_config.json")));
        assertThat(config.at("r")).contains(Json.of(3));
        assertThat(config.at("fan_in_fan_out")).contains(Json.of(true));
        assertThat(config.at("target_modules")).contains(Json.of(List.of(Json.of("c_attn"))));
        var back = LoraFiles.read(folder, model);
        assertThat(back.on(model).logits(IDS).sameBits(adapters.on(model).logits(IDS))).isTrue();
    }

    @Test
    void adaptersOfALlamaComeBack(@TempDir Path folder) throws IOException {
        var model = llama();
        var adapters = trained(model, LoraConfig.of(2).at("q_proj", "down_proj"));
        LoraFiles.write(folder, adapters, model, "base");
        try (var file = Safetensors.open(folder.resolve("adapter_model.safetensors"))) {
            assertThat(file.names())
                    .contains("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight");
        }
        var back = LoraFiles.read(folder, model);
        assertThat(back.on(model).logits(IDS).sameBits(adapters.on(model).logits(IDS))).isTrue();
    }

    @Test
    void whatWouldChangeTheResultIsRefused(@TempDir Path folder) throws IOException {
        var model = gpt();
        LoraFiles.write(folder, trained(model, LoraConfig.of(3)), model, "base");
        var file = folder.resolve("adapter_config.json");
        var good = (Json.Obj) Json.parse(Files.readString(file));
        refused(folder, good, "use_dora", Json.of(true), "use_dora is true");
        refused(folder, good, "bias", Json.of("all"), "bias is \"all\"");
        refused(folder, good, "init_lora_weights", Json.of("pissa"), "init_lora_weights is");
        refused(folder, good, "peft_type", Json.of("IA3"), "peft_type is IA3");
        refused(folder, good, "r", Json.of("eight"), "r should be a whole number");
        refused(folder, good, "r", Json.of(4), "f32[4,16] is expected");
        refused(
                folder,
                good,
                "modules_to_save",
                Json.of(List.of(Json.of("lm_head"))),
                "modules_to_save is");
        var small = Gpt2.of(Gpt2.Config.of(11, 8, 16, 1, 2), new Seed(1));
        Files.writeString(file, good.toString());
        assertThatThrownBy(() -> LoraFiles.read(folder, small))
                .hasMessageContaining("transformer.h.1.attn.c_attn.lora_A.weight")
                .hasMessageContaining("corrects no dense layer");
        assertThatThrownBy(() -> LoraAdapters.of(model, LoraConfig.of(1).at("q_proj"), new Seed(1)))
                .hasMessage(
                        "no dense layer is called q_proj; those of this model are c_attn, c_fc,"
                                + " c_proj");
    }

    private static void refused(Path folder, Json.Obj good, String key, Json value, String words)
            throws IOException {
        var changed = new LinkedHashMap<>(good.members());
        changed.put(key, value);
        Files.writeString(folder.resolve("adapter_config.json"), Json.of(changed).toString());
        assertThatThrownBy(() -> LoraFiles.read(folder, gpt())).hasMessageContaining(words);
    }

    /**
     * Truncated files, or files with flipped bits, are refused with a message or are read as other
     * adapters.
     */
    @Test
    void brokenFilesAreRefusedInWords(@TempDir Path folder) throws IOException {
        var model = gpt();
        LoraFiles.write(folder, trained(model, LoraConfig.of(3)), model, "base");
        var seed = new Seed(13);
        for (var name : List.of("adapter_model.safetensors", "adapter_config.json")) {
            var file = folder.resolve(name);
            var whole = Files.readAllBytes(file);
            // most of a tensor file is weights, which may have any bits: only the rest is changed
            int written = name.endsWith(".json") ? whole.length : 1200;
            int refused = 0;
            for (int i = 0; i < 120; i++) {
                var own = seed.of(name).of(i);
                var bytes =
                        i % 2 == 0
                                ? Arrays.copyOf(whole, (int) own.below(whole.length, 0))
                                : whole.clone();
                if (i % 2 == 1) bytes[(int) own.below(written, 1)] ^= (byte) (1 << own.below(8, 2));
                Files.write(file, bytes);
                try {
                    LoraFiles.read(folder, model);
                } catch (FileFormatException e) {
                    assertThat(e).hasMessageContaining(folder.toString());
                    refused++;
                }
            }
            assertThat(refused).as(name).isGreaterThan(90);
            Files.write(file, whole);
        }
    }
}
