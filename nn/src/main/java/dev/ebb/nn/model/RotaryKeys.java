package dev.ebb.nn.model;

import dev.ebb.nn.Rotary;
import dev.ebb.nn.RotaryScaling;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads rotary positions in both forms of config.json: {@code rope_theta} with {@code
 * rope_scaling}, and both together in {@code rope_parameters}.
 *
 * @param first the number of positions in the original training, if it is given outside
 */
record RotaryKeys(ConfigKeys keys, int context, Optional<Integer> first) {
    private static final double BASE = 1e4;
    private static final String FIRST = "original_max_position_embeddings";
    private static final String SIZE = "attention_factor";

    /**
     * @param context max_position_embeddings
     * @param pairs half the width of a head
     */
    static Rotary read(ConfigKeys keys, int context, int pairs) throws FileFormatException {
        var beside = keys.number("rope_theta");
        partial(keys);
        var first = keys.size(FIRST);
        var scaling = keys.inside("rope_scaling");
        var together = keys.inside("rope_parameters");
        if (scaling.isPresent() && together.isPresent()) {
            throw keys.unknown(
                    "rope_scaling", "there is rope_parameters too; leave one of them out");
        }
        var value = together.or(() -> scaling);
        var inside = value.isPresent() ? value.get().number("rope_theta") : beside;
        if (beside.isPresent() && inside.isPresent() && !beside.equals(inside)) {
            throw keys.unknown("rope_theta", "but rope_parameters.rope_theta is " + inside.get());
        }
        double base = inside.or(() -> beside).orElse(BASE);
        if (value.isEmpty()) return Rotary.of(base);
        try {
            var rotary = new Rotary(base, new RotaryKeys(value.get(), context, first).scaling());
            rotary.scaling().requirePairs(pairs);
            return rotary;
        } catch (IllegalArgumentException e) {
            throw keys.unknown(
                    together.isPresent() ? "rope_parameters" : "rope_scaling",
                    String.valueOf(e.getMessage()));
        }
    }

    /** Throws unless the whole width of each head is rotated. */
    private static void partial(ConfigKeys keys) throws FileFormatException {
        if (keys.number("partial_rotary_factor").orElse(1.0) != 1) {
            throw keys.unknown("partial_rotary_factor", "1 is implemented");
        }
    }

    private RotaryScaling scaling() throws FileFormatException {
        partial(keys);
        var older = keys.text("type");
        var key = older.isPresent() ? "type" : "rope_type";
        var kind = keys.text("rope_type").or(() -> older).orElse("default");
        if (older.isPresent() && !older.get().equals(kind))
            throw keys.unknown("type", "but rope_type is " + kind);
        var scaling =
                switch (kind) {
                    case "default" -> new RotaryScaling.Unscaled();
                    case "linear" -> new RotaryScaling.Linear(keys.requiredNumber("factor"));
                    case "llama3" -> llama3();
                    case "yarn" -> yarn();
                    case "longrope" -> longRope();
                    case "dynamic" ->
                            new RotaryScaling.Dynamic(keys.requiredNumber("factor"), context);
                    default ->
                            throw keys.unknown(
                                    key,
                                    "default, linear, dynamic, llama3, yarn and longrope are"
                                            + " known");
                };
        keys.refuseOthers(Set.of(FIRST));
        return scaling;
    }

    private RotaryScaling llama3() throws FileFormatException {
        return new RotaryScaling.Llama3(
                keys.requiredNumber("factor"),
                keys.requiredNumber("low_freq_factor"),
                keys.requiredNumber("high_freq_factor"),
                keys.requiredNumber(FIRST));
    }

    /**
     * The number of positions in the original training: given inside, outside or by the context.
     */
    private int positions() throws FileFormatException {
        var inside = keys.size(FIRST);
        if (inside.isPresent() && first.isPresent() && !inside.equals(first))
            throw keys.unknown(FIRST, "but outside it is " + first.get());
        return inside.or(() -> first).orElse(context);
    }

    private double factor(int positions) throws FileFormatException {
        return keys.number("factor").orElse((double) context / positions);
    }

    private RotaryScaling yarn() throws FileFormatException {
        int positions = positions();
        double factor = factor(positions);
        double share = keys.number("mscale").orElse(0.0);
        double all = keys.number("mscale_all_dim").orElse(0.0);
        double size =
                share != 0 && all != 0
                        ? RotaryScaling.Yarn.size(factor, share)
                                / RotaryScaling.Yarn.size(factor, all)
                        : RotaryScaling.Yarn.size(factor, 1);
        return new RotaryScaling.Yarn(
                factor,
                keys.number("beta_fast").filter(b -> b != 0).orElse(32.0),
                keys.number("beta_slow").filter(b -> b != 0).orElse(1.0),
                positions,
                keys.truth("truncate").orElse(true),
                keys.number(SIZE).orElse(size));
    }

    private RotaryScaling longRope() throws FileFormatException {
        int positions = positions();
        double size = RotaryScaling.LongRope.size(factor(positions), positions);
        return new RotaryScaling.LongRope(
                numbers("short_factor"),
                numbers("long_factor"),
                positions,
                keys.number(SIZE).orElse(size));
    }

    private List<Double> numbers(String key) throws FileFormatException {
        var value = keys.value(key);
        if (value.isEmpty()) throw keys.missing(key);
        var numbers = new ArrayList<Double>();
        for (var item : value.get().elements())
            numbers.add(
                    item.number()
                            .orElseThrow(() -> keys.unknown(key, "a list of numbers is expected")));
        return numbers;
    }

    static Map<String, Json> write(Rotary rotary) {
        var members = new LinkedHashMap<String, Json>();
        members.put("rope_theta", Json.of(rotary.base()));
        var scaling = written(rotary.scaling());
        if (!scaling.isEmpty()) members.put("rope_scaling", Json.of(scaling));
        return members;
    }

    private static Map<String, Json> written(RotaryScaling scaling) {
        var members = new LinkedHashMap<String, Json>();
        switch (scaling) {
            case RotaryScaling.Unscaled _ -> {}
            case RotaryScaling.Linear(double factor) -> {
                members.put("rope_type", Json.of("linear"));
                members.put("factor", Json.of(factor));
            }
            case RotaryScaling.Llama3(double factor, double low, double high, double positions) -> {
                members.put("rope_type", Json.of("llama3"));
                members.put("factor", Json.of(factor));
                members.put("low_freq_factor", Json.of(low));
                members.put("high_freq_factor", Json.of(high));
                members.put(FIRST, Json.of(positions));
            }
            case RotaryScaling.Yarn y -> {
                members.put("rope_type", Json.of("yarn"));
                members.put("factor", Json.of(y.factor()));
                members.put("beta_fast", Json.of(y.fast()));
                members.put("beta_slow", Json.of(y.slow()));
                members.put(FIRST, Json.of(y.positions()));
                members.put("truncate", Json.of(y.whole()));
                members.put(SIZE, Json.of(y.size()));
            }
            case RotaryScaling.LongRope l -> {
                members.put("rope_type", Json.of("longrope"));
                members.put("short_factor", list(l.near()));
                members.put("long_factor", list(l.far()));
                members.put(FIRST, Json.of(l.positions()));
                members.put(SIZE, Json.of(l.size()));
            }
            case RotaryScaling.Dynamic(double factor, _) -> {
                members.put("rope_type", Json.of("dynamic"));
                members.put("factor", Json.of(factor));
            }
        }
        return members;
    }

    private static Json list(List<Double> numbers) {
        return Json.of(numbers.stream().map(n -> Json.of((double) n)).toList());
    }
}
