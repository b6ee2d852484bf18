package dev.ebb.nn.model;

import dev.ebb.nn.Rotary;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Rotary positions in both spellings of config.json: {@code rope_theta} beside {@code
 * rope_scaling}, and both together in {@code rope_parameters}.
 */
final class RotaryKeys {
    private static final double BASE = 1e4;

    private RotaryKeys() {}

    static Rotary read(ConfigKeys keys) throws FileFormatException {
        var beside = keys.number("rope_theta");
        partial(keys);
        var scaling = keys.inside("rope_scaling");
        var together = keys.inside("rope_parameters");
        if (scaling.isPresent() && together.isPresent()) {
            throw keys.unknown(
                    "rope_scaling", "there is rope_parameters too; leave one of them out");
        }
        if (together.isEmpty()) {
            double base = beside.orElse(BASE);
            return scaling.isEmpty() ? Rotary.of(base) : new Rotary(base, scaling(scaling.get()));
        }
        var inside = together.get().number("rope_theta");
        if (beside.isPresent() && inside.isPresent() && !beside.equals(inside)) {
            throw keys.unknown("rope_theta", "but rope_parameters.rope_theta is " + inside.get());
        }
        return new Rotary(inside.or(() -> beside).orElse(BASE), scaling(together.get()));
    }

    /** That all of each head's width is turned. */
    private static void partial(ConfigKeys keys) throws FileFormatException {
        if (keys.number("partial_rotary_factor").orElse(1.0) != 1) {
            throw keys.unknown("partial_rotary_factor", "1 is implemented");
        }
    }

    private static Rotary.Scaling scaling(ConfigKeys keys) throws FileFormatException {
        partial(keys);
        var older = keys.text("type");
        var key = older.isPresent() ? "type" : "rope_type";
        var kind = keys.text("rope_type").or(() -> older).orElse("default");
        if (older.isPresent() && !older.get().equals(kind))
            throw keys.unknown("type", "but rope_type is " + kind);
        var scaling =
                switch (kind) {
                    case "default" -> new Rotary.Unscaled();
                    case "linear" -> new Rotary.Linear(keys.requiredNumber("factor"));
                    case "llama3" ->
                            new Rotary.Llama3(
                                    keys.requiredNumber("factor"),
                                    keys.requiredNumber("low_freq_factor"),
                                    keys.requiredNumber("high_freq_factor"),
                                    keys.requiredNumber("original_max_position_embeddings"));
                    default -> throw keys.unknown(key, "default, linear and llama3 are known");
                };
        keys.refuseOthers(Set.of("original_max_position_embeddings"));
        return scaling;
    }

    static Map<String, Json> write(Rotary rotary) {
        var members = new LinkedHashMap<String, Json>();
        members.put("rope_theta", Json.of(rotary.base()));
        switch (rotary.scaling()) {
            case Rotary.Unscaled _ -> {}
            case Rotary.Linear(double factor) ->
                    members.put(
                            "rope_scaling",
                            Json.of(
                                    Map.of(
                                            "rope_type", Json.of("linear"),
                                            "factor", Json.of(factor))));
            case Rotary.Llama3(double factor, double low, double high, double positions) ->
                    members.put(
                            "rope_scaling",
                            Json.of(
                                    Map.of(
                                            "rope_type", Json.of("llama3"),
                                            "factor", Json.of(factor),
                                            "low_freq_factor", Json.of(low),
                                            "high_freq_factor", Json.of(high),
                                            "original_max_position_embeddings",
                                                    Json.of(positions))));
        }
        return members;
    }
}
