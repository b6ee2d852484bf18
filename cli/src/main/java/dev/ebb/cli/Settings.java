package dev.ebb.cli;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;

import java.nio.file.Path;
import java.util.LinkedHashMap;

/**
 * What makes two runs the same run: with these and the text, every bit of the result is decided.
 *
 * @param horizon the steps over which the learning rate falls
 */
record Settings(int batch, int context, long seed, long horizon, double rate) {
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.95;
    private static final double DECAY = 0.1;

    /** AdamW, warmed up over a tenth of the steps at most, then falling to a tenth. */
    AdamW optimizer() {
        long warmUp = Math.min(20, horizon / 10);
        var rates = LearningRateSchedule.cosine(rate, rate / 10, horizon - warmUp).warmedUp(warmUp);
        return new AdamW(new Adam(rates, BETA1, BETA2, 1e-8), DECAY);
    }

    Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("batch", Json.of(batch));
        members.put("context", Json.of(context));
        members.put("seed", Json.of(seed));
        members.put("horizon", Json.of(horizon));
        members.put("rate", Json.of(rate));
        return Json.of(members);
    }

    static Settings of(Path file, String text) throws FileFormatException {
        var json = Json.parse(text);
        return new Settings(
                (int) whole(file, json, "batch"),
                (int) whole(file, json, "context"),
                whole(file, json, "seed"),
                whole(file, json, "horizon"),
                json.at("rate").flatMap(Json::number).orElseThrow(() -> missing(file, "rate")));
    }

    private static long whole(Path file, Json json, String key) throws FileFormatException {
        return json.at(key).flatMap(Json::whole).orElseThrow(() -> missing(file, key));
    }

    private static FileFormatException missing(Path file, String key) {
        return new FileFormatException(file, "a checkpoint without the setting " + key);
    }
}
