package dev.ebb.nn.model;

import dev.ebb.ir.Type;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Published checkpoints by file name: the kind of model and its sizes are read off the names and
 * shapes of its tensors, the rest off a config.json beside the file.
 */
public final class Pretrained {
    /** The name of a file's own note of what config.json says elsewhere. */
    public static final String NOTE = "config";

    private static final Seed ANY = new Seed(0);

    private final Safetensors file;
    private final String prefix;
    private final Json config;

    private Pretrained(Safetensors file, String prefix, Json config) {
        this.file = file;
        this.prefix = prefix;
        this.config = config;
    }

    /** Loads the GPT-2 or Llama in a file. */
    public static LanguageModel load(Path file) throws IOException {
        return load(file, "");
    }

    /** Loads the GPT-2 or Llama whose tensors' names start with {@code prefix}. */
    public static LanguageModel load(Path file, String prefix) throws IOException {
        try (var tensors = Safetensors.open(file)) {
            var loader = new Pretrained(tensors, prefix, config(tensors));
            if (tensors.has(prefix + "wte.weight")) return loader.gpt2(prefix);
            if (tensors.has(prefix + "transformer.wte.weight"))
                return loader.gpt2(prefix + "transformer.");
            if (tensors.has(prefix + "model.embed_tokens.weight")) return loader.llama();
            throw new FileFormatException(
                    file,
                    "neither a GPT-2 nor a Llama: there is no tensor "
                            + prefix
                            + "wte.weight, "
                            + prefix
                            + "transformer.wte.weight or "
                            + prefix
                            + "model.embed_tokens.weight; if the names start with something else,"
                            + " name that prefix");
        }
    }

    /** As the file itself notes, or the config beside it. */
    private static Json config(Safetensors tensors) throws IOException {
        var noted = Optional.ofNullable(tensors.metadata().get(NOTE));
        var file = tensors.file();
        if (noted.isPresent()) return parsed(file, noted.get());
        var name = file.toAbsolutePath().getFileName().toString().replaceFirst("\\.[^.]*$", "");
        for (var candidate : List.of(name + ".json", "config.json")) {
            var beside = file.resolveSibling(candidate);
            if (!Files.isRegularFile(beside)) continue;
            var json = parsed(beside, Files.readString(beside));
            return json.at("config").orElse(json);
        }
        return Json.of(Map.of());
    }

    private static Json parsed(Path where, String text) throws FileFormatException {
        try {
            return Json.parse(text);
        } catch (FileFormatException e) {
            throw new FileFormatException(where, String.valueOf(e.getMessage()), e);
        }
    }

    /** What the tensors do not tell of a model, for a file's note {@link #NOTE}. */
    public static Json config(LanguageModel model) {
        var members = new LinkedHashMap<String, Json>();
        switch (model) {
            case Gpt2 gpt -> {
                members.put("n_head", Json.of(gpt.config().heads()));
                members.put("layer_norm_epsilon", Json.of(gpt.config().epsilon()));
            }
            case Llama llama -> {
                var c = llama.config();
                members.put("num_attention_heads", Json.of(c.heads()));
                members.put("max_position_embeddings", Json.of(c.context()));
                members.put("rope_theta", Json.of(c.rotaryBase()));
                members.put("rms_norm_eps", Json.of(c.epsilon()));
            }
            default -> {}
        }
        return Json.of(members);
    }

    private Gpt2 gpt2(String start) throws FileFormatException {
        var tokens = matrix(start + "wte.weight");
        var positions = matrix(start + "wpe.weight");
        int width = tokens.shape().dim(1);
        var config =
                new Gpt2.Config(
                        tokens.shape().dim(0),
                        positions.shape().dim(0),
                        width,
                        layers(start + "h.%d.ln_1.weight"),
                        (int) whole("n_head", Math.max(1, width / 64)),
                        number("layer_norm_epsilon", 1e-5));
        return Weights.load(file, Gpt2.of(config, ANY), Naming.gpt2().behind(start));
    }

    private Llama llama() throws FileFormatException {
        var tokens = matrix(prefix + "model.embed_tokens.weight");
        var layer = prefix + "model.layers.0.";
        int width = tokens.shape().dim(1);
        int heads = (int) whole("num_attention_heads", Math.max(1, width / 128));
        int keyRows = matrix(layer + "self_attn.k_proj.weight").shape().dim(0);
        var config =
                new Llama.Config(
                        tokens.shape().dim(0),
                        (int) whole("max_position_embeddings", 2048),
                        width,
                        layers(prefix + "model.layers.%d.input_layernorm.weight"),
                        heads,
                        keyRows / (width / heads),
                        matrix(layer + "mlp.up_proj.weight").shape().dim(0),
                        number("rope_theta", 1e4),
                        number("rms_norm_eps", 1e-5));
        var like = Llama.of(config, ANY);
        var naming = Naming.llama().behind(prefix);
        if (file.has(prefix + "lm_head.weight")) return Weights.load(file, like, naming);
        return tied(like, naming);
    }

    /** Without an output layer of its own, a Llama uses its embedding, turned. */
    private Llama tied(Llama like, Naming naming) throws FileFormatException {
        Naming tied =
                path ->
                        path.startsWith("head.")
                                ? new Naming.Place(prefix + "model.embed_tokens.weight", true)
                                : naming.place(path);
        return Weights.load(file, like, tied);
    }

    private Type matrix(String name) throws FileFormatException {
        var type = file.type(name);
        if (type.isEmpty() || type.get().shape().rank() != 2) {
            throw new FileFormatException(
                    file.file(),
                    "the tensor "
                            + name
                            + (type.isEmpty() ? " is missing" : " is " + type.get())
                            + ", but a matrix is expected");
        }
        return type.get();
    }

    private int layers(String pattern) throws FileFormatException {
        int n = 0;
        while (file.has(pattern.formatted(n))) n++;
        if (n == 0) {
            throw new FileFormatException(
                    file.file(), "the tensor " + pattern.formatted(0) + " is missing");
        }
        return n;
    }

    private long whole(String key, long otherwise) {
        return config.at(key).flatMap(Json::whole).orElse(otherwise);
    }

    private double number(String key, double otherwise) {
        return config.at(key).flatMap(Json::number).orElse(otherwise);
    }

    /** The names that a model's tensors have in published files. */
    public static Optional<Naming> naming(LanguageModel model) {
        return switch (model) {
            case Gpt2 _ -> Optional.of(Naming.gpt2().behind("transformer."));
            case Llama _ -> Optional.of(Naming.llama());
            default -> Optional.empty();
        };
    }
}
