package dev.ebb.cli;

import dev.ebb.cli.option.DiskArguments;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;

import java.nio.file.Path;
import java.util.LinkedHashMap;

/**
 * What a run was started with besides what decides its bits: kept in its checkpoint, so that a
 * resumption goes on with the same. Texts are as typed on the command line; an empty one says that
 * nothing was.
 *
 * @param disk the folder of the second place, from the root
 * @param threads zero: one for each core
 * @param every steps between checkpoints
 * @param steps how many steps in all
 * @param from the file that the weights came from, from the root
 */
record Setup(
        String budget,
        String disk,
        String room,
        String cost,
        int threads,
        int every,
        long steps,
        String from,
        String prefix) {

    /** For what is only planned. */
    static Setup none() {
        return new Setup("100%", "", "4GiB", "typical", 0, 50, 1, "", "");
    }

    /** Memory, and the disk if there is one. */
    Budget bounds() {
        var memory = Budget.of(budget);
        return disk.isEmpty()
                ? memory
                : memory.with(DiskArguments.disk(Path.of(disk), Budget.of(room)));
    }

    Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("budget", Json.of(budget));
        members.put("disk", Json.of(disk));
        members.put("room", Json.of(room));
        members.put("cost", Json.of(cost));
        members.put("threads", Json.of(threads));
        members.put("every", Json.of(every));
        members.put("steps", Json.of(steps));
        members.put("from", Json.of(from));
        members.put("prefix", Json.of(prefix));
        return Json.of(members);
    }

    static Setup of(Path file, String text) throws FileFormatException {
        var json = Json.parse(text);
        return new Setup(
                text(file, json, "budget"),
                text(file, json, "disk"),
                text(file, json, "room"),
                text(file, json, "cost"),
                (int) whole(file, json, "threads"),
                (int) whole(file, json, "every"),
                whole(file, json, "steps"),
                text(file, json, "from"),
                text(file, json, "prefix"));
    }

    private static String text(Path file, Json json, String key) throws FileFormatException {
        return json.at(key).flatMap(Json::text).orElseThrow(() -> missing(file, key));
    }

    private static long whole(Path file, Json json, String key) throws FileFormatException {
        return json.at(key).flatMap(Json::whole).orElseThrow(() -> missing(file, key));
    }

    private static FileFormatException missing(Path file, String key) {
        return new FileFormatException(file, "a checkpoint that does not tell the run's " + key);
    }
}
