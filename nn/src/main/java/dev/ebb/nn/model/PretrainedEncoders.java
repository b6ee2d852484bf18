package dev.ebb.nn.model;

import dev.ebb.nn.Activation;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.TensorSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Loads published encoders of texts and images: BERT, ViT and ResNet, by their published names. */
public final class PretrainedEncoders {
    private static final Pattern BERT_UNREAD =
            Pattern.compile(
                    "(bert\\.)?embeddings\\.position_ids|cls\\.seq_relationship\\..*"
                            + "|cls\\.predictions\\.decoder\\.(weight|bias)");
    private static final Pattern NONE = Pattern.compile("(?!)");
    private static final Pattern COUNTERS = Pattern.compile(".*num_batches_tracked");

    private PretrainedEncoders() {}

    private interface Reading<M> {
        Loading.Found<M> find(Loading from) throws FileFormatException;
    }

    private static <M> M load(Path path, Reading<M> reading) throws IOException {
        var file = Pretrained.file(path);
        try (var tensors = TensorSource.open(file)) {
            var from = new Loading(tensors, "", Pretrained.config(tensors));
            var found = reading.find(from);
            return Weights.load(tensors, found.blank(), found.naming());
        } catch (IllegalArgumentException e) {
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        }
    }

    /** Loads the BERT in a file or folder. */
    public static Bert bert(Path path) throws IOException {
        return load(path, PretrainedEncoders::bert);
    }

    private static Loading.Found<Bert> bert(Loading from) throws FileFormatException {
        var keys = from.config();
        var file = from.file();
        from.requireKind(Map.of("bert", "Bert"));
        var start = file.has("bert.embeddings.word_embeddings.weight") ? "bert." : "";
        var words = from.matrix(start + "embeddings.word_embeddings.weight").shape();
        var config =
                new Bert.Config(
                        words.dim(0),
                        from.matrix(start + "embeddings.position_embeddings.weight").shape().dim(0),
                        from.matrix(start + "embeddings.token_type_embeddings.weight")
                                .shape()
                                .dim(0),
                        words.dim(1),
                        from.layers(start + "encoder.layer.%d.output.dense.weight"),
                        keys.requiredSize("num_attention_heads"),
                        from.matrix(start + "encoder.layer.0.intermediate.dense.weight")
                                .shape()
                                .dim(0),
                        from.activation("hidden_act", Activation.GELU),
                        keys.number("layer_norm_eps").orElse(1e-12));
        keys.expect("vocab_size", config.vocabulary());
        keys.expect("hidden_size", config.width());
        keys.expect("num_hidden_layers", config.layers());
        keys.expect("intermediate_size", config.inner());
        keys.expect("max_position_embeddings", config.context());
        keys.expect("type_vocab_size", config.kinds());
        keys.expect("is_decoder", false);
        keys.expect("add_cross_attention", false);
        keys.expect("tie_word_embeddings", true);
        if (!keys.text("position_embedding_type").orElse("absolute").equals("absolute"))
            throw keys.unknown("position_embedding_type", "absolute is implemented");
        boolean older = file.has(start + "embeddings.LayerNorm.gamma");
        var blank =
                Bert.blank(
                        config,
                        file.has(start + "pooler.dense.weight"),
                        file.has("cls.predictions.bias"));
        var found = from.found(blank, EncoderNames.bert(start, older), BERT_UNREAD);
        from.requireSame(
                "cls.predictions.decoder.weight", start + "embeddings.word_embeddings.weight");
        from.requireSame("cls.predictions.decoder.bias", "cls.predictions.bias");
        return found;
    }

    /** Loads the vision transformer in a file or folder. */
    public static VisionTransformer vit(Path path) throws IOException {
        return load(path, PretrainedEncoders::vit);
    }

    private static Loading.Found<VisionTransformer> vit(Loading from) throws FileFormatException {
        var keys = from.config();
        var file = from.file();
        from.requireKind(Map.of("vit", "ViT"));
        var start = file.has("vit.embeddings.cls_token") ? "vit." : "";
        int classes =
                file.has("classifier.weight") ? from.matrix("classifier.weight").shape().dim(0) : 0;
        int width = from.matrix(start + "encoder.layer.0.output.dense.weight").shape().dim(0);
        requirePatches(from, start);
        var config =
                new VisionTransformer.Config(
                        keys.requiredSize("image_size"),
                        keys.requiredSize("patch_size"),
                        keys.size("num_channels").orElse(3),
                        width,
                        from.layers(start + "encoder.layer.%d.output.dense.weight"),
                        keys.requiredSize("num_attention_heads"),
                        from.matrix(start + "encoder.layer.0.intermediate.dense.weight")
                                .shape()
                                .dim(0),
                        from.activation("hidden_act", Activation.GELU),
                        keys.number("layer_norm_eps").orElse(1e-12),
                        classes);
        keys.expect("hidden_size", config.width());
        keys.expect("num_hidden_layers", config.layers());
        keys.expect("intermediate_size", config.inner());
        keys.expect("qkv_bias", true);
        keys.size("encoder_stride");
        return from.found(VisionTransformer.blank(config), EncoderNames.vit(start), NONE);
    }

    /**
     * Throws unless the sizes in the config are those of the tensors, before anything is allocated.
     */
    private static void requirePatches(Loading from, String start) throws FileFormatException {
        var keys = from.config();
        var kernel =
                from.tensor(start + "embeddings.patch_embeddings.projection.weight", 4).shape();
        keys.expect("num_channels", kernel.dim(1));
        keys.expect("patch_size", kernel.dim(2));
        long side = keys.requiredSize("image_size") / keys.requiredSize("patch_size");
        int positions = from.tensor(start + "embeddings.position_embeddings", 3).shape().dim(1);
        if (side * side + 1 != positions)
            throw keys.unknown(
                    "image_size",
                    "but the tensors have positions for "
                            + (positions - 1)
                            + " patches, and these would be "
                            + side * side);
    }

    /**
     * Loads the ResNet in a file or folder, with the tensor names of torchvision and timm: {@code
     * layer1.0.conv1.weight}. Its sizes are determined from the tensors; no config.json is needed.
     */
    public static ResidualNetwork resNet(Path path) throws IOException {
        var file = Pretrained.file(path);
        try (var tensors = TensorSource.open(file)) {
            var from = new Loading(tensors, "", ConfigKeys.none(file));
            var found = resNet(from);
            return Weights.load(tensors, found.blank(), found.naming());
        } catch (IllegalArgumentException e) {
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        }
    }

    private static Loading.Found<ResidualNetwork> resNet(Loading from) throws FileFormatException {
        var stem = from.tensor("conv1.weight", 4).shape();
        var widths = new ArrayList<Integer>();
        var depths = new ArrayList<Integer>();
        for (int s = 1; from.file().has("layer" + s + ".0.conv1.weight"); s++) {
            widths.add(from.tensor("layer" + s + ".0.conv1.weight", 4).shape().dim(0));
            depths.add(from.layers("layer" + s + ".%d.conv1.weight"));
        }
        var blank =
                ResidualNetwork.blank(
                        stem.dim(1),
                        stem.dim(0),
                        List.copyOf(widths),
                        List.copyOf(depths),
                        from.file().has("layer1.0.conv3.weight"),
                        from.matrix("fc.weight").shape().dim(0));
        return from.found(blank, EncoderNames.resNet(), COUNTERS);
    }
}
