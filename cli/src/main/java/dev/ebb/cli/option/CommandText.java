package dev.ebb.cli.option;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Formats a command line that can be pasted into a shell. */
public final class CommandText {
    /** The system property with the name by which the launcher was called. */
    private static final String LAUNCHER = "ebb.launcher";

    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_./:=@%+-]+");

    private CommandText() {}

    /**
     * The command line of this program with the arguments {@code words}, quoted where necessary.
     */
    public static String of(List<String> words) {
        return quoted(System.getProperty(LAUNCHER, "ebb"))
                + words.stream().map(w -> " " + quoted(w)).collect(Collectors.joining());
    }

    /** A word, quoted if a shell would otherwise change it. */
    public static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
