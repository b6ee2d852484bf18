package dev.ebb.cli;

import java.util.List;

/**
 * Ends a text that comes piece by piece before the first of some words, however the pieces are cut.
 * What may be the beginning of a word waits for the next piece.
 */
final class StopWords {
    private final List<String> words;
    private String held = "";
    private boolean found;

    StopWords(List<String> words) {
        this.words = List.copyOf(words);
    }

    /** What can be told once {@code more} is there. */
    String after(String more) {
        if (found) return "";
        var text = held + more;
        int end = words.stream().mapToInt(text::indexOf).filter(i -> i >= 0).min().orElse(-1);
        found = end >= 0;
        int told = found ? end : text.length() - begun(text);
        held = text.substring(told);
        return text.substring(0, told);
    }

    /** The characters at the end of {@code text} with which a word may begin, at most. */
    private int begun(String text) {
        int most = 0;
        for (var word : words)
            for (int n = Math.min(word.length() - 1, text.length()); n > most; n--)
                if (text.endsWith(word.substring(0, n))) most = n;
        return most;
    }

    /** Whether a word was there. */
    boolean isFound() {
        return found;
    }

    /** What waited for more, where nothing comes. */
    String end() {
        return found ? "" : held;
    }
}
