package dev.ebb.cli.option;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A command to be pasted into a shell. */
public final class CommandText {
    /** How the launcher was called, if it was. */
    private static final String LAUNCHER = "ebb.launcher";

    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_./:=@%+-]+");

    private CommandText() {}

    /** This program with {@code words}, each quoted where a shell would read it otherwise. */
    public static String of(List<String> words) {
        return quoted(System.getProperty(LAUNCHER, "ebb"))
                + words.stream().map(w -> " " + quoted(w)).collect(Collectors.joining());
    }

    /** A word, quoted where a shell would read it otherwise. */
    public static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
