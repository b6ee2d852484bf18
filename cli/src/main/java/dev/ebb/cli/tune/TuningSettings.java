package dev.ebb.cli.tune;

import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a run was begun with, kept in its checkpoint so that a resumption goes on with the same.
 *
 * @param from the model's folder or file, from the root
 * @param budget as typed
 * @param bits of the frozen layers: 4, 8, or 32 for weights as they are
 * @param heldOut the share of the text, from its end, that is never trained on
 * @param every steps between checkpoints and evaluations
 * @param threads zero: one for each core
 * @param format what the text is
 */
record TuningSettings(
        String from,
        String budget,
        int rank,
        double alpha,
        List<String> targets,
        int bits,
        int batch,
        int context,
        long steps,
        double rate,
        double heldOut,
        long seed,
        int every,
        int threads,
        TuningText.Format format) {
    TuningSettings {
        targets = List.copyOf(targets);
    }

    LoraConfig lora() {
        return new LoraConfig(rank, alpha, false, targets);
    }

    Optional<Bits> rounding() {
        return switch (bits) {
            case 8 -> Optional.of(Bits.EIGHT);
            case 4 -> Optional.of(Bits.FOUR);
            default -> Optional.empty();
        };
    }

    /** AdamW without decay, warmed up over a tenth of the steps at most, then falling. */
    AdamW optimizer() {
        long warmUp = Math.min(20, steps / 10);
        var rates = LearningRateSchedule.cosine(rate, rate / 10, steps - warmUp).warmedUp(warmUp);
        return new AdamW(new Adam(rates, 0.9, 0.999, 1e-8), 0);
    }

    Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("from", Json.of(from));
        members.put("budget", Json.of(budget));
        members.put("rank", Json.of(rank));
        members.put("alpha", Json.of(alpha));
        members.put("targets", Json.of(String.join(",", targets)));
        members.put("bits", Json.of(bits));
        members.put("batch", Json.of(batch));
        members.put("context", Json.of(context));
        members.put("steps", Json.of(steps));
        members.put("rate", Json.of(rate));
        members.put("heldOut", Json.of(heldOut));
        members.put("seed", Json.of(seed));
        members.put("every", Json.of(every));
        members.put("threads", Json.of(threads));
        members.put("format", Json.of(format.name().toLowerCase(Locale.ROOT)));
        return Json.of(members);
    }

    static TuningSettings of(Path file, String text) throws FileFormatException {
        var json = Json.parse(text);
        var keys = ConfigKeys.of(file, json);
        var targets = text(keys, "targets");
        return new TuningSettings(
                text(keys, "from"),
                text(keys, "budget"),
                keys.requiredSize("rank"),
                keys.requiredNumber("alpha"),
                targets.isEmpty() ? List.of() : List.of(targets.split(",", -1)),
                keys.requiredSize("bits"),
                keys.requiredSize("batch"),
                keys.requiredSize("context"),
                keys.requiredSize("steps"),
                keys.requiredNumber("rate"),
                keys.requiredNumber("heldOut"),
                whole(keys, "seed"),
                keys.requiredSize("every"),
                (int) whole(keys, "threads"),
                format(file, keys.text("format").orElse("plain")));
    }

    /** Runs that were begun before there were instructions name none. */
    private static TuningText.Format format(Path file, String name) throws FileFormatException {
        return switch (name) {
            case "plain" -> TuningText.Format.PLAIN;
            case "instructions" -> TuningText.Format.INSTRUCTIONS;
            default -> throw new FileFormatException(file, "a text of format " + name);
        };
    }

    private static String text(ConfigKeys keys, String key) throws FileFormatException {
        var text = keys.text(key);
        if (text.isPresent()) return text.get();
        throw keys.missing(key);
    }

    private static long whole(ConfigKeys keys, String key) throws FileFormatException {
        var whole = keys.value(key).flatMap(Json::whole);
        if (whole.isPresent()) return whole.get();
        throw keys.missing(key);
    }
}
