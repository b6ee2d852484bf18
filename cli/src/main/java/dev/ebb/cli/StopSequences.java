package dev.ebb.cli;

import java.util.List;

/**
 * Cuts a text that arrives in pieces before the first of some stop sequences, which may span
 * pieces. The end of a piece that may begin a stop sequence is held back until the next piece.
 */
final class StopSequences {
    private final List<String> words;
    private String held = "";
    private boolean found;

    StopSequences(List<String> words) {
        this.words = List.copyOf(words);
    }

    /** The text that can be printed after {@code more} has arrived. */
    String add(String more) {
        if (found) return "";
        var text = held + more;
        int end = words.stream().mapToInt(text::indexOf).filter(i -> i >= 0).min().orElse(-1);
        found = end >= 0;
        int told = found ? end : text.length() - begun(text);
        held = text.substring(told);
        return text.substring(0, told);
    }

    /** The length of the longest end of {@code text} with which a stop sequence may begin. */
    private int begun(String text) {
        int most = 0;
        for (var word : words)
            for (int n = Math.min(word.length() - 1, text.length()); n > most; n--)
                if (text.endsWith(word.substring(0, n))) most = n;
        return most;
    }

    /** Whether a stop sequence was found. */
    boolean isFound() {
        return found;
    }

    /** The text that was held back; called at the end. */
    String end() {
        return found ? "" : held;
    }
}
