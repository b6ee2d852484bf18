package dev.ebb.nn.train;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * How far a run has come.
 *
 * @param step how many steps were made
 * @param epoch the epoch under way
 * @param row how many of its rows were trained on
 * @param lossSum the sum of the losses of its batches
 * @param history the epochs before it
 */
record Position(long step, int epoch, int row, double lossSum, List<EpochReport> history) {
    Position {
        history = List.copyOf(history);
    }

    static Position start() {
        return new Position(0, 0, 0, 0, List.of());
    }

    /** After a step on {@code rows} rows. */
    Position stepped(int rows, double loss) {
        return new Position(step + 1, epoch, row + rows, lossSum + loss, history);
    }

    /** After the epoch under way. */
    Position ended(EpochReport report) {
        var all = new ArrayList<>(history);
        all.add(report);
        return new Position(step, epoch + 1, 0, 0, all);
    }

    /** Every number to its last bit. */
    Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("step", Json.of(step));
        members.put("epoch", Json.of(epoch));
        members.put("row", Json.of(row));
        members.put("loss_sum", bits(lossSum));
        members.put("history", Json.of(history.stream().map(Position::json).toList()));
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

    static Position of(Path file, Json json) throws FileFormatException {
        var history = new ArrayList<EpochReport>();
        for (var report : json.at("history").map(Json::elements).orElse(List.of())) {
            var figures = new LinkedHashMap<String, Double>();
            if (report.at("validation").orElse(json) instanceof Json.Obj(var members)) {
                for (var name : members.sequencedKeySet())
                    figures.put(name, number(file, report.at("validation").orElse(json), name));
            }
            history.add(
                    new EpochReport(
                            (int) whole(file, report, "epoch"),
                            whole(file, report, "step"),
                            number(file, report, "loss"),
                            figures));
        }
        return new Position(
                whole(file, json, "step"),
                (int) whole(file, json, "epoch"),
                (int) whole(file, json, "row"),
                number(file, json, "loss_sum"),
                history);
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
