package dev.ebb.nn.model;

import java.util.List;

/** Maps paths of a record to published names, part by part. */
final class PathMapping {
    private PathMapping() {}

    /**
     * Replaces each first entry of {@code table} by the second, where it is a whole part of the
     * path.
     */
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
