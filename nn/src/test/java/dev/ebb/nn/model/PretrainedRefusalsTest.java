package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** A key or tensor that would change the result and is not implemented is refused by name. */
final class PretrainedRefusalsTest {
    @TempDir Path folder;

    private static DynamicTest refused(String key, String value, String... says) {
        return DynamicTest.dynamicTest(
                key + " " + value,
                () -> {
                    var folder = Files.createTempDirectory("ebb");
                    var file = new TinyLlama().say(key, value).write(folder);
                    said(file, key);
                    said(file, says);
                });
    }

    private static void said(Path file, String... says) {
        assertThatThrownBy(() -> Pretrained.load(file))
                .isInstanceOf(FileFormatException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(says));
    }

    @TestFactory
    Stream<DynamicTest> keys() {
        return Stream.of(
                refused("rope_scaling", "{\"type\": \"ntk\", \"factor\": 2}", "ntk", "longrope"),
                refused(
                        "rope_scaling",
                        "{\"type\": \"yarn\", \"factor\": 2, \"llama_4_scaling_beta\": 1}",
                        ".llama_4_scaling_beta is 1"),
                refused("rope_scaling", "{\"type\": \"linear\"}", "rope_scaling.factor"),
                refused("rope_scaling", "{\"type\": \"dynamic\", \"factor\": 0.5}", "0.5"),
                refused(
                        "rope_scaling",
                        "{\"type\": \"longrope\", \"short_factor\": [1, 1], \"long_factor\": [1]}",
                        "2 factors",
                        "3 pairs"),
                refused(
                        "rope_scaling",
                        "{\"type\": \"linear\", \"factor\": 2, \"x\": 1}",
                        ".x is 1"),
                refused("rope_parameters", "{\"rope_theta\": 5}", "rope_theta", "100.0", "5"),
                refused("rope_theta", "\"big\"", "\"big\"", "a number"),
                refused("rope_theta", "1e999", "a number"),
                refused("partial_rotary_factor", "0.5", "0.5"),
                refused("hidden_act", "\"mish\"", "mish", "silu"),
                refused("attention_bias", "true", "no tensor self_attn.q_proj.bias"),
                refused("mlp_bias", "true", "no tensor mlp.gate_proj.bias"),
                refused("sliding_window", "4", "4", "32"),
                refused("layer_types", "[\"sliding_attention\"]", "full_attention"),
                refused("model_type", "\"gemma2\"", "gemma"),
                refused("architectures", "[\"GemmaForCausalLM\"]", "Gemma"),
                refused("num_hidden_layers", "3", "3", "2"),
                refused("num_key_value_heads", "4", "4", "2"),
                refused("head_dim", "3", "3", "6"),
                refused("vocab_size", "14", "13"),
                refused("hidden_size", "-12", "-12"),
                refused("num_attention_heads", "null", "config.json"),
                refused("num_attention_heads", "7", "24 rows"),
                refused("quantization_config", "{\"bits\": 4}", "{\"bits\":4}"),
                refused("logits_scaling", "8", "8"));
    }

    @Test
    void without_a_config_the_heads_are_not_guessed() throws IOException {
        var file = new TinyLlama().write(folder);
        Files.delete(folder.resolve("config.json"));
        said(file, "num_attention_heads is not known", "config.json beside the file");
        var gpt = Gpt2.of(Gpt2.Config.of(11, 8, 16, 1, 4), new Seed(1));
        Safetensors.write(file, Weights.named(gpt, Naming.gpt2()), Map.of());
        said(file, "n_head is not known", "config.json beside the file");
    }

    @Test
    void tensors_that_have_no_place() throws IOException {
        var norm = new TinyLlama();
        norm.put("model.layers.0.self_attn.q_norm.weight", 6);
        said(norm.write(folder), "model.layers.0.self_attn.q_norm.weight", "no place");
        var bias = new TinyLlama();
        bias.put("model.layers.1.self_attn.k_proj.bias", 12);
        said(bias.write(folder), "model.layers.1.self_attn.k_proj.bias", "no place");
        var scores = new TinyLlama();
        scores.put("score.weight", 2, 12);
        said(scores.write(folder), "score.weight", "no place");
        var known = new TinyLlama();
        known.put("model.layers.0.self_attn.rotary_emb.inv_freq", 3);
        assertThat(Pretrained.load(known.write(folder))).isInstanceOf(Llama.class);
    }

    @Test
    void output_layers_that_are_not_what_is_said() throws IOException {
        said(
                new TinyLlama().say("tie_word_embeddings", true).write(folder),
                "lm_head.weight should be model.embed_tokens.weight again");
        var none = new TinyLlama().say("tie_word_embeddings", false);
        none.tensors.remove("lm_head.weight");
        said(none.write(folder), "tie_word_embeddings is false", "no tensor lm_head.weight");
    }

    @Test
    void keys_of_gpt2() throws IOException {
        var gpt = Gpt2.of(Gpt2.Config.of(11, 8, 16, 1, 4), new Seed(1));
        for (var key :
                Map.of(
                                "activation_function", "\"swiglu\"",
                                "scale_attn_weights", "false",
                                "scale_attn_by_inverse_layer_idx", "true",
                                "add_cross_attention", "true",
                                "tie_word_embeddings", "false",
                                "n_layer", "2",
                                "n_inner", "65",
                                "model_type", "\"gpt_bigcode\"",
                                "multi_query", "true")
                        .entrySet()) {
            var file = folder.resolve("gpt.safetensors");
            Safetensors.write(
                    file,
                    Weights.named(gpt, Naming.gpt2()),
                    Map.of(
                            Pretrained.NOTE,
                            "{\"n_head\": 4, \"" + key.getKey() + "\": " + key.getValue() + "}"));
            said(file, key.getKey(), key.getValue());
        }
    }

    @Test
    void shards_that_do_not_fit_their_index() throws IOException {
        var index = new TinyLlama().shard(folder);
        var first = folder.resolve("model-00001-of-00002.safetensors");
        var second = folder.resolve("model-00002-of-00002.safetensors");
        said(first, "one of several files", "model.safetensors.index.json");
        var text = Files.readString(index);
        Files.writeString(index, text.replace("model-00002", "../model-00002"));
        said(index, "weight_map should name a .safetensors file beside it");
        Files.writeString(index, text.replace("\"lm_head.weight\":", "\"lm_head.other\":"));
        said(index, "there is no tensor lm_head.other");
        Files.writeString(index, "{\"metadata\": {}}");
        said(index, "weight_map");
        Files.writeString(index, text);
        var more = new LinkedHashMap<String, Array>();
        try (var shard = Safetensors.open(second)) {
            for (var name : shard.names()) more.put(name, shard.read(name));
        }
        more.put("extra", Array.of(1f));
        Safetensors.write(second, more, Map.of("format", "pt"));
        said(index, "the tensor extra is here");
        Files.delete(second);
        said(index, "model-00002-of-00002.safetensors: this shard is missing");
    }
}
