package dev.ebb.cli.studio;

import dev.ebb.cli.option.CommandText;
import dev.ebb.cli.option.OptimizerName;
import dev.ebb.cli.option.PrecisionName;
import dev.ebb.nn.model.ModelSize;

import java.util.List;
import java.util.Locale;

/**
 * Identifies what the studio plans for: a model's sizes, its precision, its optimizer, the trained
 * weights, the device, and the limits of host memory and disk (0 for none); or a file with a bare
 * graph, in which case nothing else counts. Equal keys have equal plans.
 *
 * @param size of a model in a file only batch and context count
 * @param from the file of the model in the studio's folder; empty for a GPT of these sizes
 * @param graph the graph's file in the studio's folder; empty for none
 */
public record ModelKey(
        ModelSize size,
        PrecisionName precision,
        OptimizerName optimizer,
        TrainedWeights trained,
        String device,
        long hostBytes,
        long diskBytes,
        String from,
        String graph) {
    private static final int MOST_LAYERS = 128;
    private static final int MOST_WIDTH = 1 << 14;
    private static final int MOST_TOKENS = 1 << 20;

    static ModelKey of(Query query) {
        var named = size(query.find("model").orElse("small"));
        int batch =
                query.find("batch").isPresent()
                        ? (int) query.whole("batch", 1, 1 << 14)
                        : named.batch();
        int context =
                query.find("context").isPresent()
                        ? (int) query.whole("context", 1, 1 << 16)
                        : named.context();
        if (named.layers() > MOST_LAYERS
                || named.width() > MOST_WIDTH
                || (long) batch * context > MOST_TOKENS)
            throw RequestError.wrong(
                    "the studio plans for at most "
                            + MOST_LAYERS
                            + " layers, a width of "
                            + MOST_WIDTH
                            + " and "
                            + MOST_TOKENS
                            + " characters a step; 'ebb plan' takes more");
        return new ModelKey(
                new ModelSize(named.layers(), named.width(), named.heads(), context, batch),
                named(PrecisionName.class, query.find("precision").orElse("f32")),
                named(OptimizerName.class, query.find("optimizer").orElse("adamw")),
                named(TrainedWeights.class, query.find("trained").orElse("whole")),
                query.find("device").orElse("best"),
                room(query, "host"),
                room(query, "disk"),
                query.find("from").orElse(""),
                query.find("graph").orElse(""));
    }

    private static long room(Query query, String place) {
        return query.find(place).isPresent() ? query.whole(place, 0, 1L << 44) : 0;
    }

    private static ModelSize size(String text) {
        try {
            return ModelSize.of(text);
        } catch (IllegalArgumentException e) {
            throw RequestError.wrong(String.valueOf(e.getMessage()));
        }
    }

    private static <E extends Enum<E>> E named(Class<E> kind, String text) {
        for (var constant : kind.getEnumConstants())
            if (constant.toString().equals(text.toLowerCase(Locale.ROOT))) return constant;
        throw RequestError.wrong("'" + text + "' is none of " + List.of(kind.getEnumConstants()));
    }

    /** The command line options that plan the same. */
    String options() {
        if (!graph.isEmpty()) return "--graph " + CommandText.quoted(graph);
        var model = size.layers() + "x" + size.width() + "x" + size.heads();
        return (from.isEmpty() ? "--model " + model : "--from " + CommandText.quoted(from))
                + " --batch "
                + size.batch()
                + " --context "
                + size.context()
                + (precision == PrecisionName.F32 ? "" : " --precision " + precision)
                + (optimizer == OptimizerName.ADAMW ? "" : " --optimizer " + optimizer)
                + (device.equals("best") ? "" : " --device " + device)
                + (hostBytes == 0 ? "" : " --host " + hostBytes)
                + (diskBytes == 0 ? "" : " --disk . --disk-room " + diskBytes);
    }
}
