package dev.ebb.nn.model;

import java.util.List;

/** Paths of a record to published names, part by part. */
final class Renaming {
    private Renaming() {}

    /** Each first part of {@code table} becomes the second, where it occurs whole. */
    static String of(String path, List<List<String>> table) {
        var name = path;
        for (var row : table) {
            var from = row.getFirst();
            if (from.startsWith(".")) name = name.replace(from, row.getLast());
            else if (path.startsWith(from)) name = row.getLast() + name.substring(from.length());
        }
        return name;
    }
}
