package dev.ebb.nn.model;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.ShardedSafetensors;
import dev.ebb.nn.file.TensorSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Loads published language models: the kind of model and its sizes are determined from the names
 * and shapes of its tensors, everything else from the config.json next to the file. Every tensor
 * and every key is used, or known not to change the computation; all others are refused by name.
 */
public final class Pretrained {
    /** The name of the file metadata that replaces config.json. */
    public static final String NOTE = "config";

    private static final Pattern ONE_OF_SEVERAL =
            Pattern.compile("(.*)-\\d{5}-of-(?!00001)\\d{5}\\.safetensors");

    private Pretrained() {}

    /** Loads the GPT-2 or Llama in a file, or in the files of a {@code .index.json}. */
    public static AutoregressiveModel load(Path file) throws IOException {
        return load(file, "");
    }

    /**
     * Loads the GPT-2 or Llama whose tensors' names start with {@code prefix}.
     *
     * @param path a file, or the folder of a published model
     */
    public static AutoregressiveModel load(Path path, String prefix) throws IOException {
        try (var stored = open(path, prefix)) {
            return stored.load();
        }
    }

    /**
     * Opens the GPT-2 or Llama whose tensors' names start with {@code prefix}, to be read tensor by
     * tensor.
     *
     * @param path a file, or the folder of a published model
     */
    public static PretrainedFile open(Path path, String prefix) throws IOException {
        var file = file(path);
        refuseOneOfSeveral(file);
        var tensors = TensorSource.open(file);
        try {
            return new PretrainedFile(tensors, find(tensors, prefix));
        } catch (IllegalArgumentException e) {
            tensors.close();
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        } catch (IOException | RuntimeException e) {
            tensors.close();
            throw e;
        }
    }

    private static Loading.Found<? extends AutoregressiveModel> find(
            TensorSource tensors, String prefix) throws IOException {
        var from = new Loading(tensors, prefix, config(tensors));
        if (tensors.has(prefix + "wte.weight")) return LoadingGpt2.find(from, prefix);
        if (tensors.has(prefix + "transformer.wte.weight"))
            return LoadingGpt2.find(from, prefix + "transformer.");
        if (tensors.has(prefix + "model.embed_tokens.weight")) return LoadingLlama.find(from);
        throw new FileFormatException(
                tensors.file(),
                ("neither a GPT-2 nor a Llama: there is no tensor %swte.weight,"
                     + " %stransformer.wte.weight or %smodel.embed_tokens.weight; if the names"
                     + " start with something else, name that prefix")
                        .formatted(prefix, prefix, prefix));
    }

    /** The file of tensors, or the index of several, in a folder. */
    public static Path file(Path path) throws FileFormatException {
        if (!Files.isDirectory(path)) return path;
        for (var name : List.of("model.safetensors", "model.safetensors.index.json")) {
            if (Files.isRegularFile(path.resolve(name))) return path.resolve(name);
        }
        boolean adapters = Files.isRegularFile(path.resolve("adapter_config.json"));
        throw new FileFormatException(
                path,
                "the folder holds neither model.safetensors nor model.safetensors.index.json"
                        + (adapters
                                ? "; these are adapters, which are added to the model that they"
                                        + " were made for"
                                : ""));
    }

    private static void refuseOneOfSeveral(Path file) throws FileFormatException {
        var name = ONE_OF_SEVERAL.matcher(file.toString());
        if (!name.matches()) return;
        throw new FileFormatException(
                file,
                "this is one of several files of a model; name "
                        + name.group(1)
                        + ".safetensors.index.json, which holds them together");
    }

    /** The config in the file's metadata, or else in the config.json next to it. */
    static ConfigKeys config(TensorSource tensors) throws IOException {
        var noted = Optional.ofNullable(tensors.metadata().get(NOTE));
        var file = tensors.file();
        if (noted.isPresent()) return ConfigKeys.of(file, Json.parse(file, noted.get()));
        var name = file.toAbsolutePath().getFileName().toString().replaceFirst("\\.[^.]*$", "");
        var candidates =
                ShardedSafetensors.isIndex(file)
                        ? List.of("config.json")
                        : List.of(name + ".json", "config.json");
        for (var candidate : candidates) {
            var beside = file.resolveSibling(candidate);
            if (!Files.isRegularFile(beside)) continue;
            var json = Json.read(beside);
            return ConfigKeys.of(beside, json.at("config").orElse(json));
        }
        return ConfigKeys.none(file);
    }

    /**
     * The settings of a model that do not follow from its tensors, for the metadata {@link #NOTE}.
     */
    public static Json config(LanguageModel model) {
        return switch (model) {
            case Gpt2 gpt -> LoadingGpt2.config(gpt.config());
            case Llama llama -> LoadingLlama.config(llama.config());
            default -> Json.of(Map.of());
        };
    }

    /** The names of a model's tensors in published files. */
    public static Optional<Naming> naming(LanguageModel model) {
        return switch (model) {
            case Gpt2 _ -> Optional.of(Naming.gpt2().behind("transformer."));
            case Llama _ -> Optional.of(Naming.llama());
            default -> Optional.empty();
        };
    }
}
