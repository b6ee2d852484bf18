package dev.ebb.nn.tokens;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/** Splits a text at matches. */
final class Split {

    /** What to do with a match. */
    enum Behaviour {
        REMOVED,
        ISOLATED,
        MERGED_WITH_PREVIOUS,
        MERGED_WITH_NEXT,
        /** A separate part, together with directly adjacent matches. */
        CONTIGUOUS
    }

    /** A part of the text, matched or between matches. */
    private record Stretch(int from, int to, boolean found) {}

    private Split() {}

    static List<String> by(Pattern pattern, boolean invert, Behaviour behaviour, String text) {
        var stretches = new ArrayList<Stretch>();
        var matcher = pattern.matcher(text);
        int end = 0;
        while (matcher.find()) {
            if (matcher.end() == matcher.start()) continue;
            if (matcher.start() > end) stretches.add(new Stretch(end, matcher.start(), invert));
            stretches.add(new Stretch(matcher.start(), matcher.end(), !invert));
            end = matcher.end();
        }
        if (end < text.length()) stretches.add(new Stretch(end, text.length(), invert));
        return cut(stretches, behaviour, text);
    }

    /** Splits at single characters. */
    static List<String> by(IntPredicate wanted, Behaviour behaviour, String text) {
        var stretches = new ArrayList<Stretch>();
        int start = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            int next = i + Character.charCount(c);
            if (wanted.test(c)) {
                if (i > start) stretches.add(new Stretch(start, i, false));
                stretches.add(new Stretch(i, next, true));
                start = next;
            }
            i = next;
        }
        if (start < text.length()) stretches.add(new Stretch(start, text.length(), false));
        return cut(stretches, behaviour, text);
    }

    private static List<String> cut(List<Stretch> stretches, Behaviour behaviour, String text) {
        var joined = new ArrayList<Stretch>();
        for (var next : stretches) {
            var last = joined.isEmpty() ? new Stretch(0, 0, false) : joined.getLast();
            boolean joins =
                    !joined.isEmpty()
                            && switch (behaviour) {
                                case REMOVED, ISOLATED -> false;
                                case MERGED_WITH_PREVIOUS -> next.found && !last.found;
                                case MERGED_WITH_NEXT -> last.found && !next.found;
                                case CONTIGUOUS -> last.found == next.found;
                            };
            if (behaviour == Behaviour.REMOVED && next.found) continue;
            if (joins) {
                boolean found = behaviour != Behaviour.MERGED_WITH_NEXT && next.found;
                joined.set(joined.size() - 1, new Stretch(last.from, next.to, found));
            } else {
                joined.add(next);
            }
        }
        return joined.stream().map(s -> text.substring(s.from, s.to)).toList();
    }
}
