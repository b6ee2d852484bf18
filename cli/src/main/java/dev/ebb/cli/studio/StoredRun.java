package dev.ebb.cli.studio;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A run as its folder records it: the losses of all steps, and the settings with which it was
 * started.
 *
 * @param figures its figures, if it ended at this checkpoint
 */
record StoredRun(
        String name, double[] losses, Json settings, Json setup, Json figures, boolean reported) {
    static final String CHECKPOINT = "checkpoint.safetensors";
    static final String REPORT = "report.html";
    private static final String FIGURES = "figures.json";

    static StoredRun read(Path folder) throws IOException {
        var path = folder.resolve(CHECKPOINT);
        try (var file = Safetensors.open(path)) {
            var notes = file.metadata();
            if (!notes.getOrDefault("format", "").startsWith("ebb training checkpoint"))
                throw new FileFormatException(path, "not a training checkpoint");
            var losses = file.read("losses").toDoubles();
            return new StoredRun(
                    folder.getFileName().toString(),
                    losses,
                    note(path, notes, "settings"),
                    note(path, notes, "run"),
                    figures(folder.resolve(FIGURES), losses.length),
                    Files.exists(folder.resolve(REPORT)));
        }
    }

    private static Json figures(Path file, long steps) {
        try {
            var found = Files.exists(file) ? Json.read(file) : NONE;
            boolean current = found.at("steps").flatMap(Json::whole).equals(Optional.of(steps));
            return current ? found : NONE;
        } catch (IOException e) {
            return NONE;
        }
    }

    private static final Json NONE = Json.of(Map.of());

    private static Json note(Path path, Map<String, String> notes, String key)
            throws FileFormatException {
        return Json.parse(path, notes.getOrDefault(key, "{}"));
    }

    Json json() {
        var all = new LinkedHashMap<String, Json>();
        all.put("name", Json.of(name));
        all.put("state", Json.of("stored"));
        all.put("step", Json.of(losses.length));
        setup.at("steps").ifPresent(steps -> all.put("steps", steps));
        setup.at("budget").ifPresent(budget -> all.put("budgetText", budget));
        settings.at("batch").ifPresent(batch -> all.put("batch", batch));
        settings.at("context").ifPresent(context -> all.put("context", context));
        settings.at("seed").ifPresent(seed -> all.put("seed", seed));
        if (losses.length > 0) all.put("loss", Json.of(losses[losses.length - 1]));
        figure("promised_peak_bytes").ifPresent(bytes -> all.put("promised", bytes));
        figure("measured_peak_bytes").ifPresent(bytes -> all.put("measured", bytes));
        figure("budget_bytes").ifPresent(bytes -> all.put("budget", bytes));
        figure("tokens_per_second").ifPresent(tokens -> all.put("speed", tokens));
        figure("recompute_share").ifPresent(share -> all.put("again", share));
        figure("weights_digest").ifPresent(digest -> all.put("digest", digest));
        all.put("report", Json.of(reported));
        return Json.of(all);
    }

    private Optional<Json> figure(String name) {
        return figures.at(name);
    }

    Json series() {
        var series = new SampledCurve();
        for (int i = 0; i < losses.length; i++) series.add(i + 1, losses[i]);
        return series.json();
    }

    /** The number of steps, from the first on, in which both runs have bit-identical losses. */
    long sameSteps(StoredRun other) {
        int n = Math.min(losses.length, other.losses.length);
        for (int i = 0; i < n; i++) {
            if (Double.doubleToRawLongBits(losses[i])
                    != Double.doubleToRawLongBits(other.losses[i])) return i;
        }
        return n;
    }
}
