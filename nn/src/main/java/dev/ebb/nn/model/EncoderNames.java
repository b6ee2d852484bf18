package dev.ebb.nn.model;

import java.util.List;

/** The published names of BERT, ViT and ResNet. */
final class EncoderNames {
    private static final List<List<String>> BERT =
            List.of(
                    List.of("words.", "embeddings.word_embeddings."),
                    List.of("positions.", "embeddings.position_embeddings."),
                    List.of("kinds.", "embeddings.token_type_embeddings."),
                    List.of("norm.", "embeddings.LayerNorm."),
                    List.of("layers.", "encoder.layer."),
                    List.of(".attention.in.", ".attention.self."),
                    List.of(".attention.out.", ".attention.output.dense."),
                    List.of(".norm1.", ".attention.output.LayerNorm."),
                    List.of(".feedForward.up.", ".intermediate.dense."),
                    List.of(".feedForward.down.", ".output.dense."),
                    List.of(".norm2.", ".output.LayerNorm."),
                    List.of("pooler.", "pooler.dense."));

    private static final List<List<String>> VIT =
            List.of(
                    List.of("patches.", "embeddings.patch_embeddings.projection."),
                    List.of("first", "embeddings.cls_token"),
                    List.of("positions", "embeddings.position_embeddings"),
                    List.of("norm.", "layernorm."),
                    List.of("blocks.", "encoder.layer."),
                    List.of(".norm1.", ".layernorm_before."),
                    List.of(".norm2.", ".layernorm_after."),
                    List.of(".attention.in.", ".attention.attention."),
                    List.of(".attention.out.", ".attention.output.dense."),
                    List.of(".feedForward.up.", ".intermediate.dense."),
                    List.of(".feedForward.down.", ".output.dense."));

    private EncoderNames() {}

    private static boolean isMatrix(String path) {
        boolean dense =
                path.contains(".attention.")
                        || path.contains(".feedForward.")
                        || path.startsWith("pooler.")
                        || path.startsWith("head.transform.")
                        || path.equals("head.weight");
        return dense && path.endsWith(".weight");
    }

    /**
     * @param start the prefix of all names except the head's
     * @param older whether the parameters of norms are named gamma and beta
     */
    static Naming bert(String start, boolean older) {
        return path -> {
            boolean norm = path.contains("norm");
            var name =
                    path.startsWith("head.")
                            ? path.replace("head.transform.", "cls.predictions.transform.dense.")
                                    .replace("head.norm.", "cls.predictions.transform.LayerNorm.")
                                    .replace("head.bias", "cls.predictions.bias")
                            : start + PathMapping.of(path, BERT);
            if (older && norm)
                name = name.replaceFirst("weight$", "gamma").replaceFirst("bias$", "beta");
            return new Naming.Place(name, isMatrix(path));
        };
    }

    static Naming vit(String start) {
        return path ->
                new Naming.Place(
                        path.startsWith("head.")
                                ? path.replace("head.", "classifier.")
                                : start + PathMapping.of(path, VIT),
                        isMatrix(path));
    }

    /** Maps {@code stages.0.1.units.0.kernel} to {@code layer1.1.conv1.weight}. */
    static Naming resNet() {
        return path -> {
            if (path.startsWith("head."))
                return new Naming.Place(path.replace("head.", "fc."), path.equals("head.weight"));
            var parts = path.split("\\.", -1);
            var last = parts[parts.length - 1];
            boolean kernel = last.equals("kernel");
            var of =
                    switch (last) {
                        case "kernel", "weight" -> "weight";
                        case "runningMean" -> "running_mean";
                        case "runningVariance" -> "running_var";
                        default -> last;
                    };
            if (parts[0].equals("stem"))
                return new Naming.Place((kernel ? "conv1." : "bn1.") + of, false);
            var block = "layer" + (Integer.parseInt(parts[1]) + 1) + "." + parts[2] + ".";
            if (parts[3].equals("shortcut"))
                return new Naming.Place(block + "downsample." + (kernel ? "0." : "1.") + of, false);
            int unit = Integer.parseInt(parts[4]) + 1;
            return new Naming.Place(block + (kernel ? "conv" : "bn") + unit + "." + of, false);
        };
    }
}
