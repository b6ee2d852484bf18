package dev.ebb.nn.adapt;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads {@code adapter_config.json}. Each key is used, or known not to change the result; all
 * others are refused by name.
 */
final class AdapterKeys {
    /** Keys about files, versions or training, which do not change the result. */
    private static final Set<String> HARMLESS =
            Set.of(
                    "auto_mapping",
                    "base_model_name_or_path",
                    "inference_mode",
                    "exclude_modules",
                    "layers_pattern",
                    "layers_to_transform",
                    "lora_dropout",
                    "peft_version",
                    "revision",
                    "runtime_config",
                    "task_type",
                    "fan_in_fan_out",
                    "target_modules",
                    "r",
                    "lora_alpha",
                    "use_rslora",
                    "peft_type");

    /**
     * The supported values of keys that may be present. Initialisations other than random ones,
     * such as "pissa", also change the model's own weights and are refused.
     */
    private static final Map<String, List<Json>> EXPECTED =
            Map.of(
                    "bias",
                    List.of(Json.of("none")),
                    "init_lora_weights",
                    List.of(Json.of(true), Json.of("gaussian")));

    private AdapterKeys() {}

    static LoraConfig read(Path file, Json json) throws FileFormatException {
        if (!(json instanceof Json.Obj(var members)))
            throw new FileFormatException(file, "the config should be a JSON object, not " + json);
        var kind = json.at("peft_type").flatMap(Json::text).orElse("LORA");
        if (!kind.equals("LORA"))
            throw new FileFormatException(file, "peft_type is " + kind + "; LORA is implemented");
        for (var member : members.entrySet()) {
            if (HARMLESS.contains(member.getKey()) || saysNothing(member.getValue())) continue;
            var expected = EXPECTED.getOrDefault(member.getKey(), List.of());
            if (expected.contains(member.getValue())) continue;
            throw new FileFormatException(
                    file,
                    "%s is %s, which changes what the adapters compute and is not implemented"
                            .formatted(member.getKey(), member.getValue()));
        }
        var rank = json.at("r").flatMap(Json::whole).filter(r -> r > 0 && r < 1 << 20);
        var alpha = json.at("lora_alpha").flatMap(Json::number).filter(Double::isFinite);
        if (rank.isEmpty() || alpha.isEmpty()) {
            throw new FileFormatException(
                    file, "r should be a whole number from 1 on and lora_alpha a number");
        }
        boolean stabilised = json.at("use_rslora").flatMap(Json::truth).orElse(false);
        return new LoraConfig(rank.get().intValue(), alpha.get(), stabilised, targets(json));
    }

    /** Whether a value is null, false, or an empty object or list, as good as absent. */
    private static boolean saysNothing(Json value) {
        return switch (value) {
            case Json.Nothing _ -> true;
            case Json.Truth(boolean is) -> !is;
            case Json.Obj(var members) -> members.isEmpty();
            case Json.Arr(var items) -> items.isEmpty();
            case Json.Text _, Json.Num _ -> false;
        };
    }

    /**
     * The names of the adapted layers if the config lists them; which layers are adapted is read
     * from the tensors.
     */
    private static List<String> targets(Json json) {
        var names = new ArrayList<String>();
        for (var item : json.at("target_modules").map(Json::elements).orElse(List.of()))
            item.text().ifPresent(names::add);
        return names;
    }

    /**
     * The config of adapters.
     *
     * @param turned whether the model's matrices are stored as [inputs, outputs]
     */
    static Json write(LoraConfig config, List<String> targets, boolean turned, String base) {
        var members = new LinkedHashMap<String, Json>();
        members.put("peft_type", Json.of("LORA"));
        members.put("task_type", Json.of("CAUSAL_LM"));
        members.put("base_model_name_or_path", Json.of(base));
        members.put("inference_mode", Json.of(true));
        members.put("r", Json.of(config.rank()));
        members.put("lora_alpha", Json.of(config.alpha()));
        members.put("lora_dropout", Json.of(0.0));
        members.put("use_rslora", Json.of(config.rankStabilised()));
        members.put("fan_in_fan_out", Json.of(turned));
        members.put("bias", Json.of("none"));
        members.put("target_modules", Json.of(targets.stream().map(Json::of).toList()));
        members.put("modules_to_save", new Json.Nothing());
        return Json.of(members);
    }
}
