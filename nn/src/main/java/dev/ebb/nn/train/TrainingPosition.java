package dev.ebb.nn.train;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * The position of a training run.
 *
 * @param step the number of steps made
 * @param epoch the current epoch
 * @param row the rows of the epoch trained on so far
 * @param lossSum the sum of the losses of its batches
 * @param history the epochs before it
 */
record TrainingPosition(long step, int epoch, int row, double lossSum, List<EpochReport> history) {
    TrainingPosition {
        if (step < 0 || epoch != history.size() || row < 0)
            throw new IllegalArgumentException(
                    "step %s, row %s of epoch %s after %s epochs"
                            .formatted(step, row, epoch, history.size()));
        history = List.copyOf(history);
    }

    static TrainingPosition start() {
        return new TrainingPosition(0, 0, 0, 0, List.of());
    }

    /** After a step on {@code rows} rows. */
    TrainingPosition stepped(int rows, double loss) {
        return new TrainingPosition(step + 1, epoch, row + rows, lossSum + loss, history);
    }

    /** After the current epoch. */
    TrainingPosition ended(EpochReport report) {
        var all = new ArrayList<>(history);
        all.add(report);
        return new TrainingPosition(step, epoch + 1, 0, 0, all);
    }

    /** As JSON, with every number exact to the last bit. */
    Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("step", Json.of(step));
        members.put("epoch", Json.of(epoch));
        members.put("row", Json.of(row));
        members.put("loss_sum", bits(lossSum));
        members.put("history", Json.of(history.stream().map(TrainingPosition::json).toList()));
        return Json.of(members);
    }

    private static Json bits(double number) {
        return Json.of(Double.doubleToRawLongBits(number));
    }

    private static Json json(EpochReport report) {
        var figures = new LinkedHashMap<String, Json>();
        report.validation().forEach((name, value) -> figures.put(name, bits(value)));
        var members = new LinkedHashMap<String, Json>();
        members.put("epoch", Json.of(report.epoch()));
        members.put("step", Json.of(report.step()));
        members.put("loss", bits(report.loss()));
        members.put("validation", Json.of(figures));
        return Json.of(members);
    }

    static TrainingPosition of(Path file, Json json) throws FileFormatException {
        var history = new ArrayList<EpochReport>();
        for (var report : json.at("history").map(Json::elements).orElse(List.of()))
            history.add(report(file, report));
        try {
            return new TrainingPosition(
                    whole(file, json, "step"),
                    integer(file, json, "epoch"),
                    integer(file, json, "row"),
                    number(file, json, "loss_sum"),
                    history);
        } catch (IllegalArgumentException e) {
            throw new FileFormatException(file, "a checkpoint of " + e.getMessage(), e);
        }
    }

    private static EpochReport report(Path file, Json json) throws FileFormatException {
        var figures = new LinkedHashMap<String, Double>();
        var validation = json.at("validation").orElse(new Json.Nothing());
        if (!(validation instanceof Json.Obj(var members)))
            throw new FileFormatException(file, "a checkpoint without its validation");
        for (var name : members.sequencedKeySet())
            figures.put(name, number(file, validation, name));
        return new EpochReport(
                integer(file, json, "epoch"),
                whole(file, json, "step"),
                number(file, json, "loss"),
                figures);
    }

    private static int integer(Path file, Json json, String name) throws FileFormatException {
        long value = whole(file, json, name);
        if (value == (int) value) return (int) value;
        throw new FileFormatException(file, "a checkpoint whose " + name + " is " + value);
    }

    private static long whole(Path file, Json json, String name) throws FileFormatException {
        return json.at(name)
                .flatMap(Json::whole)
                .orElseThrow(
                        () -> new FileFormatException(file, "a checkpoint without its " + name));
    }

    private static double number(Path file, Json json, String name) throws FileFormatException {
        return Double.longBitsToDouble(whole(file, json, name));
    }
}
