package dev.ebb.nn.model;

import dev.ebb.nn.Activation;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Llama, and what has its names and computes the same (Mistral, Qwen2), from published names and
 * keys; what a key leaves out is as Llama's config has it. Whether there are biases and an output
 * layer is read off the tensors, and the keys must agree.
 */
final class LoadingLlama {
    /** Speeds of rotation, which follow from the config, and a tied output layer. */
    private static final Pattern UNREAD =
            Pattern.compile("model\\.(layers\\.\\d+\\.self_attn\\.)?rotary_emb\\.inv_freq");

    /** What Mistral has where the key is left out. */
    private static final int MISTRAL_WINDOW = 4096;

    private final Loading from;
    private final ConfigKeys keys;

    private LoadingLlama(Loading from) {
        this.from = from;
        keys = from.config();
    }

    static Llama load(Loading from) throws FileFormatException {
        return new LoadingLlama(from).load();
    }

    private Llama load() throws FileFormatException {
        from.requireKind(Map.of("llama", "Llama", "mistral", "Mistral", "qwen2", "Qwen2"));
        var tokens = from.matrix(from.prefix() + "model.embed_tokens.weight").shape();
        var layer = from.prefix() + "model.layers.0.";
        int heads = keys.requiredSize("num_attention_heads");
        int queryRows = from.matrix(layer + "self_attn.q_proj.weight").shape().dim(0);
        int keyRows = from.matrix(layer + "self_attn.k_proj.weight").shape().dim(0);
        if (queryRows % heads != 0) {
            throw keys.unknown(
                    "num_attention_heads",
                    "but the " + queryRows + " rows of q_proj do not divide into so many");
        }
        int headWidth = queryRows / heads;
        var config =
                new Llama.Config(
                        tokens.dim(0),
                        keys.size("max_position_embeddings").orElse(2048),
                        tokens.dim(1),
                        from.layers(from.prefix() + "model.layers.%d.input_layernorm.weight"),
                        heads,
                        keyRows / headWidth,
                        headWidth,
                        from.matrix(layer + "mlp.up_proj.weight").shape().dim(0),
                        RotaryKeys.read(keys),
                        keys.number("rms_norm_eps").orElse(1e-6),
                        variant(layer));
        expect(config);
        var naming = Naming.llama().behind(from.prefix());
        var unread =
                config.variant().tied() ? Pattern.compile(UNREAD + "|lm_head\\.weight") : UNREAD;
        var model = from.load(Llama.blank(config), naming, unread);
        if (config.variant().tied()) {
            from.requireSame(
                    from.prefix() + "lm_head.weight", from.prefix() + "model.embed_tokens.weight");
        }
        return model;
    }

    private Llama.Variant variant(String layer) throws FileFormatException {
        var file = from.file();
        boolean head = file.has(from.prefix() + "lm_head.weight");
        boolean tied = keys.truth("tie_word_embeddings").orElse(!head);
        if (!tied && !head)
            throw keys.unknown("tie_word_embeddings", "but there is no tensor lm_head.weight");
        var variant =
                new Llama.Variant(
                        from.activation("hidden_act", Activation.SILU),
                        file.has(layer + "self_attn.q_proj.bias"),
                        file.has(layer + "self_attn.o_proj.bias"),
                        file.has(layer + "mlp.gate_proj.bias"),
                        tied);
        agree("attention_bias", variant.inwardBias(), "self_attn.q_proj.bias");
        agree("attention_bias", variant.outBias(), "self_attn.o_proj.bias");
        agree("mlp_bias", variant.feedForwardBias(), "mlp.gate_proj.bias");
        return variant;
    }

    private void agree(String key, boolean there, String tensor) throws FileFormatException {
        var said = keys.truth(key);
        if (said.isPresent() && said.get() != there)
            throw keys.unknown(
                    key, "but there is " + (there ? "a tensor " : "no tensor ") + tensor);
    }

    private void expect(Llama.Config c) throws FileFormatException {
        keys.expect("vocab_size", c.vocabulary());
        keys.expect("hidden_size", c.width());
        keys.expect("num_hidden_layers", c.layers());
        keys.expect("num_key_value_heads", c.keyHeads());
        keys.expect("head_dim", c.headWidth());
        keys.expect("intermediate_size", c.inner());
        keys.expect("is_encoder_decoder", false);
        window(c.context());
    }

    /** A sliding window is harmless where the whole context fits into it. */
    private void window(int context) throws FileFormatException {
        boolean used = keys.truth("use_sliding_window").orElse(true);
        var layers = keys.size("max_window_layers");
        boolean mistral = keys.text("model_type").filter("mistral"::equals).isPresent();
        var window =
                mistral && keys.leavesOut("sliding_window")
                        ? Optional.of(MISTRAL_WINDOW)
                        : keys.size("sliding_window");
        var kinds = keys.value("layer_types");
        if (kinds.isPresent()
                && !kinds.get().elements().stream()
                        .allMatch(k -> k.equals(Json.of("full_attention")))) {
            throw keys.unknown("layer_types", "only full_attention is implemented");
        }
        if (used && window.isPresent() && window.get() < context) {
            throw keys.unknown(
                    "sliding_window",
                    "attention with a window shorter than the context of "
                            + context
                            + " is not implemented"
                            + layers.map(n -> " (max_window_layers " + n + ")").orElse(""));
        }
    }

    /** What the tensors do not tell. */
    static Json config(Llama.Config c) {
        var members = new LinkedHashMap<String, Json>();
        members.put("model_type", Json.of("llama"));
        members.put("num_attention_heads", Json.of(c.heads()));
        members.put("max_position_embeddings", Json.of(c.context()));
        members.put("hidden_act", Json.of(Loading.name(c.variant().activation())));
        members.put("rms_norm_eps", Json.of(c.epsilon()));
        members.putAll(RotaryKeys.write(c.rotary()));
        return Json.of(members);
    }
}
