package dev.ebb.nn.adapt;

import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Init;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.AtomicFile;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.file.TensorSource;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * Reads and writes adapters in PEFT's layout: a folder with {@code adapter_model.safetensors},
 * whose matrices are stored as [outputs, inputs], and {@code adapter_config.json}.
 */
public final class LoraFiles {
    public static final String TENSORS = "adapter_model.safetensors";
    public static final String CONFIG = "adapter_config.json";

    private static final String START = "base_model.model.";

    private LoraFiles() {}

    /**
     * Writes adapters into an existing folder.
     *
     * @param base the name or path of the base model, for the reader's information
     */
    public static void write(
            Path folder, LoraAdapters adapters, AutoregressiveModel model, String base)
            throws IOException {
        var tensors = Tensorwise.list(adapters);
        write(folder, adapters, place -> (Array) tensors.get(place), model, base);
    }

    /**
     * The same; each tensor is requested when it is written.
     *
     * @param at the tensor at an index of the adapters
     */
    public static void write(
            Path folder,
            LoraAdapters like,
            IntFunction<Array> at,
            AutoregressiveModel model,
            String base)
            throws IOException {
        var naming = LoraAdapters.naming(model);
        var supplies = Weights.supplies(like, published(naming), at);
        Safetensors.write(folder.resolve(TENSORS), supplies, Map.of("format", "pt"));
        AtomicFile.write(folder.resolve(CONFIG), config(like, model, base) + "\n");
    }

    /** Reads the adapters in a folder, for a model like {@code model}. */
    public static LoraAdapters read(Path folder, AutoregressiveModel model) throws IOException {
        var file = folder.resolve(CONFIG);
        var config = AdapterKeys.read(file, json(file));
        var naming = LoraAdapters.naming(model);
        try (var tensors = TensorSource.open(folder.resolve(TENSORS))) {
            var like = like(tensors, naming, model, config);
            var names = new TreeSet<>(tensors.names());
            for (var s : Weights.supplies(like, published(naming), _ -> Array.scalar(0f)))
                names.remove(s.name());
            if (!names.isEmpty()) {
                throw new FileFormatException(
                        tensors.file(),
                        "the tensor "
                                + names.first()
                                + " corrects no dense layer of this model; were the adapters made"
                                + " for another one?");
            }
            return Weights.load(tensors, like, published(naming));
        }
    }

    private static Json json(Path file) throws IOException {
        try {
            return Json.read(file);
        } catch (NoSuchFileException e) {
            throw new FileFormatException(
                    file, "missing; a folder of adapters has " + CONFIG + " and " + TENSORS, e);
        }
    }

    /** Zeros in the shapes of the file's adapters, whose ranks must equal the config's. */
    private static LoraAdapters like(
            TensorSource tensors, Naming naming, AutoregressiveModel model, LoraConfig config)
            throws FileFormatException {
        var pairs = new LinkedHashMap<String, Lora.Pair>();
        var misshapen = new ArrayList<FileFormatException>();
        model.rewritten(
                (path, layer) -> {
                    var start = START + LoraAdapters.published(naming, path);
                    if (tensors.has(start + ".lora_A.weight")) {
                        var size = LoraAdapters.size(layer);
                        var down = Type.of(DType.F32, config.rank(), size.dim(0));
                        if (!fits(tensors, start + ".lora_A.weight", down, misshapen)) return layer;
                        pairs.put(
                                path,
                                new Lora.Pair(
                                        zeros(size.dim(0), config.rank()),
                                        zeros(config.rank(), size.dim(1))));
                    }
                    return layer;
                });
        if (!misshapen.isEmpty()) throw misshapen.getFirst();
        if (!pairs.isEmpty()) return new LoraAdapters(pairs, config);
        throw new FileFormatException(
                tensors.file(),
                "no tensor is called like "
                        + START
                        + "NAME.lora_A.weight with the NAME of a dense layer of this model");
    }

    /**
     * Whether a tensor has the type given by the config: nothing is allocated from a config alone.
     */
    private static boolean fits(
            TensorSource tensors, String name, Type type, List<FileFormatException> faults) {
        try {
            tensors.require(name, type);
            return true;
        } catch (FileFormatException e) {
            faults.add(e);
            return false;
        }
    }

    private static Tensor zeros(int rows, int columns) {
        return Init.zeros().of(Shape.of(rows, columns), new Seed(0));
    }

    /**
     * The name of each matrix of the adapters in the file; the paths of layers are between dots.
     */
    private static Naming published(Naming model) {
        return path -> {
            boolean down = path.endsWith(".down");
            var layer = path.substring("layers.".length(), path.lastIndexOf('.'));
            var name = START + LoraAdapters.published(model, layer);
            return new Naming.Place(name + (down ? ".lora_A.weight" : ".lora_B.weight"), true);
        };
    }

    private static Json config(LoraAdapters adapters, AutoregressiveModel model, String base) {
        var naming = LoraAdapters.naming(model);
        var targets = new TreeSet<>(adapters.config().targets());
        if (targets.isEmpty()) {
            for (var path : adapters.layers().keySet()) {
                var name = LoraAdapters.published(naming, path);
                targets.add(name.substring(name.lastIndexOf('.') + 1));
            }
        }
        return AdapterKeys.write(
                adapters.config(), List.copyOf(targets), model instanceof Gpt2, base);
    }
}
