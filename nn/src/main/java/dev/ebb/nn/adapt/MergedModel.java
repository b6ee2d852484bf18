package dev.ebb.nn.adapt;

import dev.ebb.Tensorwise;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Projection;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.PretrainedFile;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds adapters to the weights of a published model and writes the result as a published model:
 * {@code model.safetensors} in f32, its config and the files of its tokenizer.
 */
public final class MergedModel {
    /** Files that are copied unchanged if they exist. */
    private static final List<String> BESIDE =
            List.of(
                    "tokenizer.json",
                    "tokenizer_config.json",
                    "special_tokens_map.json",
                    "generation_config.json");

    private MergedModel() {}

    /** Writes into an existing folder, with at most one layer in memory. */
    public static void write(Path folder, PretrainedFile base, LoraAdapters adapters)
            throws IOException {
        var supplies =
                Weights.supplies(
                        base.blank(),
                        base.naming(),
                        place -> {
                            try {
                                return tensor(base, adapters, place);
                            } catch (FileFormatException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
        Safetensors.write(folder.resolve("model.safetensors"), supplies, Map.of("format", "pt"));
        AtomicFile.write(folder.resolve("config.json"), config(base) + "\n");
        for (var name : BESIDE) {
            var file = base.file().resolveSibling(name);
            if (Files.isRegularFile(file))
                Files.copy(file, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** One tensor of the model with adapters added, by its index in {@link Tensorwise#list}. */
    public static Array tensor(PretrainedFile base, LoraAdapters adapters, int place)
            throws FileFormatException {
        var name = Tensorwise.names(base.blank()).get(place);
        var read = base.read(place);
        int dot = name.lastIndexOf('.');
        var pair = adapters.layers().get(dot < 0 ? name : name.substring(0, dot));
        if (pair == null || !name.endsWith(".weight")) return read;
        var layer = new Lora(new Projection(read), pair, adapters.config().scale()).merged();
        return switch (layer) {
            case Projection(var weight) -> (Array) weight;
            case Linear(var weight, _) -> (Array) weight;
            default -> throw new IllegalStateException("merged into " + layer.getClass());
        };
    }

    /**
     * The model's own config, with the tensors' new type. For Gemma both keys of its activation get
     * the activation that it computes, because readers use one or the other.
     */
    private static Json config(PretrainedFile base) throws IOException {
        var file = base.file().resolveSibling("config.json");
        if (!Files.isRegularFile(file)) return Pretrained.config(base.blank());
        if (!(Json.read(file) instanceof Json.Obj(var members)))
            throw new FileFormatException(file, "the config should be a JSON object");
        var changed = new LinkedHashMap<>(members);
        for (var key : List.of("torch_dtype", "dtype"))
            changed.computeIfPresent(key, (_, _) -> Json.of("float32"));
        if (Json.of("gemma").equals(changed.get("model_type"))) {
            var computed = Pretrained.config(base.blank()).at("hidden_act").orElseThrow();
            for (var key : List.of("hidden_act", "hidden_activation")) changed.put(key, computed);
        }
        return Json.of(changed);
    }
}
