package dev.ebb.nn.adapt;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Dense;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Projection;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.LanguageModel;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Pretrained;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.TreeSet;

/**
 * The adapters of a model's layers, separate from the model: these are trained, and the optimizer
 * has state for them only.
 *
 * @param layers by the paths of the layers, in the order of the model
 */
public record LoraAdapters(SequencedMap<String, Lora.Pair> layers, LoraConfig config) {
    public LoraAdapters {
        layers = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(layers));
    }

    /**
     * Adapters that do not change the output yet, for the layers of {@code model} that the config
     * names.
     */
    public static LoraAdapters of(AutoregressiveModel model, LoraConfig config, Seed seed) {
        var naming = naming(model);
        var pairs = new LinkedHashMap<String, Lora.Pair>();
        var ends = new TreeSet<String>();
        model.rewritten(
                (path, layer) -> {
                    var name = published(naming, path);
                    ends.add(name.substring(name.lastIndexOf('.') + 1));
                    if (config.isTarget(name)) {
                        var size = size(layer);
                        pairs.put(
                                path,
                                Lora.Pair.of(
                                        size.dim(0), size.dim(1), config.rank(), seed.of(path)));
                    }
                    return layer;
                });
        for (var target : config.targets()) {
            boolean used =
                    pairs.keySet().stream()
                            .map(path -> published(naming, path))
                            .anyMatch(name -> name.equals(target) || name.endsWith("." + target));
            if (used) continue;
            throw new IllegalArgumentException(
                    "no dense layer is called %s; those of this model are %s"
                            .formatted(target, String.join(", ", ends)));
        }
        return new LoraAdapters(pairs, config);
    }

    /** The model with these adapters around its layers. */
    public AutoregressiveModel on(AutoregressiveModel model) {
        var left = new LinkedHashMap<>(layers);
        var adapted =
                model.rewritten(
                        (path, layer) -> {
                            var pair = left.remove(path);
                            return pair == null
                                    ? layer
                                    : new Lora(requireFit(path, layer, pair), pair, config.scale());
                        });
        if (left.isEmpty()) return adapted;
        throw new IllegalArgumentException(
                "the model has no dense layer "
                        + left.firstEntry().getKey()
                        + ", which the adapters correct; were they made for another model?");
    }

    /** The model with these adapters added to its matrices: as fast as without them. */
    public AutoregressiveModel mergedInto(AutoregressiveModel model) {
        return on(model).rewritten((_, layer) -> layer instanceof Lora l ? l.merged() : layer);
    }

    private static Dense requireFit(String path, Dense layer, Lora.Pair pair) {
        var size = size(layer);
        if (size.dim(0) == pair.down().dim(0) && size.dim(1) == pair.up().dim(1)) return layer;
        throw new IllegalArgumentException(
                ("the layer %s is %s, and its correction %s; were the adapters made for another"
                                + " model size?")
                        .formatted(path, size, Shape.of(pair.down().dim(0), pair.up().dim(1))));
    }

    /** The inputs and outputs of a layer. */
    static Shape size(Dense layer) {
        return switch (layer) {
            case Linear linear -> linear.weight().shape();
            case Projection projection -> projection.weight().shape();
            case QuantisedDense few -> few.size();
            case Lora lora -> size(lora.base());
            default ->
                    throw new IllegalArgumentException(
                            "the sizes of a "
                                    + layer.getClass().getSimpleName()
                                    + " are not known, so it cannot be corrected");
        };
    }

    static Naming naming(LanguageModel model) {
        return Pretrained.naming(model)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "a "
                                                + model.getClass().getSimpleName()
                                                + " has no published names, by which adapters are"
                                                + " kept"));
    }

    /** The published name of a layer. */
    static String published(Naming naming, String path) {
        var weight = naming.place(path + ".weight").name();
        return weight.substring(0, weight.length() - ".weight".length());
    }
}
