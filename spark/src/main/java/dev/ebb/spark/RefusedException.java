package dev.ebb.spark;

import java.util.regex.Pattern;

/**
 * What a rank was told to do cannot be done, such as a budget that is too small or a row that is
 * not what its column should hold: trying again does not help. The driver knows a rank's exception
 * only as text in Spark's message.
 */
final class RefusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private static final Pattern THROWN =
            Pattern.compile("(?m)^(?:[\\w.$]+(?:Exception|Error): )+(.*)$");

    RefusedException(RuntimeException cause) {
        super(cause.getMessage(), cause);
    }

    /** Whether a message of Spark is about a rank that refused. */
    static boolean isIn(String message) {
        return message.contains(RefusedException.class.getName() + ": ");
    }

    /** Of a message with a rank's stack in it, what the rank's exception says. */
    static String words(String message) {
        var thrown = THROWN.matcher(message);
        return thrown.find() ? thrown.group(1) : message;
    }
}
