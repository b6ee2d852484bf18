package dev.ebb.nn.file;

import java.util.Collection;
import java.util.stream.Collectors;

/** Lists a few of many names for a message. */
final class NameList {
    private static final int FEW = 4;

    private NameList() {}

    static String sample(Collection<String> names) {
        if (names.isEmpty()) return "none";
        var shown = names.stream().limit(FEW).collect(Collectors.joining(", "));
        return names.size() <= FEW ? shown : shown + " and " + (names.size() - FEW) + " more";
    }
}
