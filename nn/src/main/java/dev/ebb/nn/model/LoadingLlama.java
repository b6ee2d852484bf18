package dev.ebb.nn.model;

import dev.ebb.nn.Activation;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Loads Llama, and models with its names (Mistral, Qwen 2 and 3, Gemma), from published names and
 * keys; absent keys have the defaults of Llama's config. Whether there are biases and an output
 * layer is read from the tensors, and the keys must agree.
 */
final class LoadingLlama {
    /**
     * Tensors that are not read: rotation speeds, which follow from the config, and a tied output
     * layer.
     */
    private static final Pattern UNREAD =
            Pattern.compile("model\\.(layers\\.\\d+\\.self_attn\\.)?rotary_emb\\.inv_freq");

    /** Mistral's default of the window. */
    private static final int MISTRAL_WINDOW = 4096;

    /** Qwen's default of max_window_layers. */
    private static final int QWEN_FULL_LAYERS = 28;

    private static final String LAYER = "model.layers.%d.input_layernorm.weight";

    private static final List<String> WITH_WINDOW = List.of("mistral", "qwen2", "qwen3");

    private final Loading from;
    private final ConfigKeys keys;

    /** The model_type; empty if the config does not give one. */
    private final String type;

    private LoadingLlama(Loading from) throws FileFormatException {
        this.from = from;
        keys = from.config();
        type =
                from.requireKind(
                        Map.of(
                                "llama", "Llama",
                                "mistral", "Mistral",
                                "qwen2", "Qwen2",
                                "qwen3", "Qwen3",
                                "gemma", "Gemma"));
    }

    static Loading.Found<? extends AutoregressiveModel> find(Loading from)
            throws FileFormatException {
        return new LoadingLlama(from).find();
    }

    private Loading.Found<? extends AutoregressiveModel> find() throws FileFormatException {
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
        int context = keys.size("max_position_embeddings").orElse(2048);
        var config =
                new Llama.Config(
                        tokens.dim(0),
                        context,
                        tokens.dim(1),
                        from.layers(from.prefix() + LAYER),
                        heads,
                        keyRows / headWidth,
                        headWidth,
                        from.matrix(layer + "mlp.up_proj.weight").shape().dim(0),
                        RotaryKeys.read(keys, context, headWidth / 2),
                        keys.number("rms_norm_eps").orElse(1e-6),
                        variant(layer));
        expect(config);
        var naming = Naming.llama().behind(from.prefix());
        var unread =
                config.variant().tied() ? Pattern.compile(UNREAD + "|lm_head\\.weight") : UNREAD;
        var model = from.found(Llama.blank(config), naming, unread);
        if (config.variant().tied()) {
            from.requireSame(
                    from.prefix() + "lm_head.weight", from.prefix() + "model.embed_tokens.weight");
        }
        return model;
    }

    private Llama.Variant variant(String layer) throws FileFormatException {
        var file = from.file();
        boolean head = file.has(from.prefix() + "lm_head.weight");
        var kind = kind(layer);
        boolean tied = keys.truth("tie_word_embeddings").orElse(!head);
        if (!tied && !head)
            throw keys.unknown("tie_word_embeddings", "but there is no tensor lm_head.weight");
        var variant =
                new Llama.Variant(
                        activation(kind),
                        file.has(layer + "self_attn.q_proj.bias"),
                        file.has(layer + "self_attn.o_proj.bias"),
                        file.has(layer + "mlp.gate_proj.bias"),
                        tied,
                        kind,
                        window(from.layers(from.prefix() + LAYER)));
        agree("attention_bias", variant.inwardBias(), "self_attn.q_proj.bias");
        agree("attention_bias", variant.outBias(), "self_attn.o_proj.bias");
        agree("mlp_bias", variant.feedForwardBias(), "mlp.gate_proj.bias");
        return variant;
    }

    /**
     * The kind according to the config or, if it has none, to the tensors: those of Gemma have
     * Llama's names.
     */
    private Llama.Kind kind(String layer) {
        boolean norms = from.file().has(layer + "self_attn.q_norm.weight");
        return switch (type) {
            case "gemma" -> Llama.Kind.GEMMA;
            case "qwen3" -> Llama.Kind.QWEN3;
            case "" -> norms ? Llama.Kind.QWEN3 : Llama.Kind.LLAMA;
            default -> Llama.Kind.LLAMA;
        };
    }

    /**
     * The activation. Gemma was published with "gelu" although it computes the tanh approximation;
     * the newer key is right.
     */
    private Activation activation(Llama.Kind kind) throws FileFormatException {
        if (kind != Llama.Kind.GEMMA) return from.activation("hidden_act", Activation.SILU);
        var older = from.activation("hidden_act", Activation.GELU_TANH);
        return from.activation(
                "hidden_activation", older == Activation.GELU ? Activation.GELU_TANH : older);
    }

    private void agree(String key, boolean there, String tensor) throws FileFormatException {
        var value = keys.truth(key);
        if (value.isPresent() && value.get() != there)
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
    }

    /** The window of all layers, zero for none; layers with different windows are refused. */
    private int window(int count) throws FileFormatException {
        boolean qwen = type.startsWith("qwen");
        boolean used = keys.truth("use_sliding_window").orElse(!qwen);
        int first = keys.size("max_window_layers").orElse(qwen ? QWEN_FULL_LAYERS : 0);
        var window =
                type.equals("mistral") && keys.leavesOut("sliding_window")
                        ? Optional.of(MISTRAL_WINDOW)
                        : keys.size("sliding_window");
        int context = keys.size("max_position_embeddings").orElse(2048);
        var layers = keys.value("layer_types");
        if (layers.isPresent()) {
            var kinds = layers.get().elements().stream().distinct().toList();
            if (kinds.equals(List.of(Json.of("full_attention")))) return 0;
            if (!kinds.equals(List.of(Json.of("sliding_attention"))) || window.isEmpty())
                throw keys.unknown(
                        "layer_types",
                        "layers that are all full_attention, or all sliding_attention with a"
                                + " sliding_window, are implemented");
        }
        if (!used || window.isEmpty() || window.get() >= context) return 0;
        if (qwen && layers.isEmpty() && first >= count) return 0;
        boolean some = layers.isEmpty() && first > 0;
        if (!WITH_WINDOW.contains(type) || some) {
            throw keys.unknown(
                    "sliding_window",
                    "it is shorter than the context of "
                            + context
                            + ", and a window is implemented for all layers of "
                            + String.join(", ", WITH_WINDOW)
                            + (some ? ", not from layer " + first + " on" : ""));
        }
        return window.get();
    }

    /** The config: the settings that do not follow from the tensors. */
    static Json config(Llama.Config c) {
        var members = new LinkedHashMap<String, Json>();
        members.put(
                "model_type",
                Json.of(
                        switch (c.variant().kind()) {
                            case LLAMA -> c.variant().window() > 0 ? "mistral" : "llama";
                            case QWEN3 -> "qwen3";
                            case GEMMA -> "gemma";
                        }));
        members.put(
                "sliding_window",
                c.variant().window() > 0 ? Json.of(c.variant().window()) : new Json.Nothing());
        members.put("num_attention_heads", Json.of(c.heads()));
        members.put("max_position_embeddings", Json.of(c.context()));
        members.put("hidden_act", Json.of(Loading.name(c.variant().activation())));
        members.put("rms_norm_eps", Json.of(c.epsilon()));
        members.putAll(RotaryKeys.write(c.rotary()));
        return Json.of(members);
    }
}
