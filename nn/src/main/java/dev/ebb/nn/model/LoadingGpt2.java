package dev.ebb.nn.model;

import dev.ebb.nn.Activation;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Loads GPT-2 from its published names and keys; absent keys have the defaults of GPT-2's config.
 */
final class LoadingGpt2 {
    /** Tensors that are not read: masks that follow from the length, and the embedding again. */
    private static final Pattern UNREAD =
            Pattern.compile(
                    "(transformer\\.)?h\\.\\d+\\.attn\\.(bias|masked_bias)|lm_head\\.weight");

    private LoadingGpt2() {}

    /**
     * @param start the prefix of {@code wte.weight}
     */
    static Loading.Found<? extends AutoregressiveModel> find(Loading from, String start)
            throws FileFormatException {
        var keys = from.config();
        from.requireKind(Map.of("gpt2", "GPT2"));
        var tokens = from.matrix(start + "wte.weight").shape();
        var positions = from.matrix(start + "wpe.weight").shape();
        int layers = from.layers(start + "h.%d.ln_1.weight");
        int width = tokens.dim(1);
        int inner = from.matrix(start + "h.0.mlp.c_fc.weight").shape().dim(1);
        keys.expect("vocab_size", tokens.dim(0));
        keys.expect("n_positions", positions.dim(0));
        keys.expect("n_ctx", positions.dim(0));
        keys.expect("n_embd", width);
        keys.expect("n_layer", layers);
        keys.expect("n_inner", inner);
        keys.expect("tie_word_embeddings", true);
        keys.expect("scale_attn_weights", true);
        keys.expect("scale_attn_by_inverse_layer_idx", false);
        keys.expect("add_cross_attention", false);
        keys.expect("is_encoder_decoder", false);
        var config =
                new Gpt2.Config(
                        tokens.dim(0),
                        positions.dim(0),
                        width,
                        layers,
                        keys.requiredSize("n_head"),
                        inner,
                        from.activation("activation_function", Activation.GELU_TANH),
                        keys.number("layer_norm_epsilon").orElse(1e-5));
        var model = from.found(Gpt2.blank(config), Naming.gpt2().behind(start), UNREAD);
        from.requireSame(from.prefix() + "lm_head.weight", start + "wte.weight");
        return model;
    }

    /** The config: the settings that do not follow from the tensors. */
    static Json config(Gpt2.Config c) {
        var members = new LinkedHashMap<String, Json>();
        members.put("model_type", Json.of("gpt2"));
        members.put("n_head", Json.of(c.heads()));
        members.put("activation_function", Json.of(Loading.name(c.activation())));
        members.put("layer_norm_epsilon", Json.of(c.epsilon()));
        return Json.of(members);
    }
}
