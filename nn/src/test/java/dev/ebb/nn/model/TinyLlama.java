package dev.ebb.nn.model;

import dev.ebb.ir.Shape;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.function.DoubleUnaryOperator;

/**
 * A published Llama small enough for a test: its tensors, its config, and its plain implementation.
 */
final class TinyLlama {
    static final int VOCABULARY = 13;
    static final int CONTEXT = 32;
    static final int WIDTH = 12;
    static final int LAYERS = 2;
    static final int HEADS = 4;
    static final int KEY_HEADS = 2;
    static final int INNER = 10;
    static final double EPSILON = 1e-4;

    final SequencedMap<String, Array> tensors = new LinkedHashMap<>();
    final SequencedMap<String, String> config = new LinkedHashMap<>();
    private final Random random = new Random(5);
    private final int headWidth;

    TinyLlama(int headWidth) {
        this.headWidth = headWidth;
        put("model.embed_tokens.weight", VOCABULARY, WIDTH);
        for (int l = 0; l < LAYERS; l++) {
            var at = "model.layers." + l + ".";
            put(at + "input_layernorm.weight", WIDTH);
            put(at + "self_attn.q_proj.weight", HEADS * headWidth, WIDTH);
            put(at + "self_attn.k_proj.weight", KEY_HEADS * headWidth, WIDTH);
            put(at + "self_attn.v_proj.weight", KEY_HEADS * headWidth, WIDTH);
            put(at + "self_attn.o_proj.weight", WIDTH, HEADS * headWidth);
            put(at + "post_attention_layernorm.weight", WIDTH);
            put(at + "mlp.gate_proj.weight", INNER, WIDTH);
            put(at + "mlp.up_proj.weight", INNER, WIDTH);
            put(at + "mlp.down_proj.weight", WIDTH, INNER);
        }
        put("model.norm.weight", WIDTH);
        put("lm_head.weight", VOCABULARY, WIDTH);
        say("model_type", "\"llama\"");
        say("architectures", "[\"LlamaForCausalLM\"]");
        say("vocab_size", VOCABULARY);
        say("hidden_size", WIDTH);
        say("intermediate_size", INNER);
        say("num_hidden_layers", LAYERS);
        say("num_attention_heads", HEADS);
        say("num_key_value_heads", KEY_HEADS);
        say("max_position_embeddings", CONTEXT);
        say("rms_norm_eps", EPSILON);
        say("attention_dropout", 0.0);
        say("pad_token_id", "null");
        say("use_cache", true);
    }

    /** As each head is {@code WIDTH / HEADS} wide, with {@code rope_theta} 100. */
    TinyLlama() {
        this(6);
        say("rope_theta", 100.0);
    }

    void put(String name, int... dims) {
        var shape = Shape.of(dims);
        var data = new float[(int) shape.size()];
        for (int i = 0; i < data.length; i++) data[i] = (float) random.nextGaussian() * 0.6f;
        tensors.put(name, Array.of(shape, data));
    }

    TinyLlama say(String key, Object value) {
        config.put(key, String.valueOf(value));
        return this;
    }

    void attentionBiases() {
        for (int l = 0; l < LAYERS; l++) {
            var at = "model.layers." + l + ".self_attn.";
            put(at + "q_proj.bias", HEADS * headWidth);
            put(at + "k_proj.bias", KEY_HEADS * headWidth);
            put(at + "v_proj.bias", KEY_HEADS * headWidth);
        }
    }

    void outBiases() {
        for (int l = 0; l < LAYERS; l++) put("model.layers." + l + ".self_attn.o_proj.bias", WIDTH);
    }

    void feedForwardBiases() {
        for (int l = 0; l < LAYERS; l++) {
            var at = "model.layers." + l + ".mlp.";
            put(at + "gate_proj.bias", INNER);
            put(at + "up_proj.bias", INNER);
            put(at + "down_proj.bias", WIDTH);
        }
    }

    Path write(Path folder) throws IOException {
        writeConfig(folder);
        var file = folder.resolve("model.safetensors");
        Safetensors.write(file, tensors, Map.of("format", "pt"));
        return file;
    }

    void writeConfig(Path folder) throws IOException {
        var text = new StringBuilder("{");
        config.forEach(
                (key, value) ->
                        text.append(text.length() > 1 ? "," : "")
                                .append('"' + key + "\": ")
                                .append(value));
        Files.writeString(folder.resolve("config.json"), text.append('}'));
    }

    /** In two shards, with tensors alternating between them, and an index. */
    Path shard(Path folder) throws IOException {
        writeConfig(folder);
        var map = new LinkedHashMap<String, Json>();
        for (int i = 0; i < 2; i++) {
            var part = new LinkedHashMap<String, Array>();
            var name = "model-0000" + (i + 1) + "-of-00002.safetensors";
            int place = 0;
            for (var tensor : tensors.entrySet()) {
                if (place++ % 2 != i) continue;
                part.put(tensor.getKey(), tensor.getValue());
                map.put(tensor.getKey(), Json.of(name));
            }
            Safetensors.write(folder.resolve(name), part, Map.of("format", "pt"));
        }
        var index = folder.resolve("model.safetensors.index.json");
        Files.writeString(
                index, "{\"metadata\": {\"total_size\": 1}, \"weight_map\": " + Json.of(map) + "}");
        return index;
    }

    double[] speeds(double theta) {
        var speeds = new double[headWidth / 2];
        for (int i = 0; i < speeds.length; i++)
            speeds[i] = 1 / Math.pow(theta, 2.0 * i / headWidth);
        return speeds;
    }

    PlainLlama plain(double[] speeds, DoubleUnaryOperator activation) {
        return plain(speeds, 1, activation);
    }

    PlainLlama plain(double[] speeds, double size, DoubleUnaryOperator activation) {
        var numbers = new HashMap<String, double[]>();
        tensors.forEach((name, array) -> numbers.put(name, array.toDoubles()));
        return new PlainLlama(
                numbers,
                WIDTH,
                LAYERS,
                HEADS,
                KEY_HEADS,
                headWidth,
                INNER,
                VOCABULARY,
                speeds,
                size,
                EPSILON,
                activation);
    }

    static double silu(double x) {
        return x / (1 + Math.exp(-x));
    }
}
