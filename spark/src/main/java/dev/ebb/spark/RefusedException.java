package dev.ebb.spark;

import java.util.regex.Pattern;

/**
 * A rank cannot do its task, for example because the budget is too small or a row does not have the
 * type of its column, and trying again would not help. The driver receives a rank's exception only
 * as text in Spark's message.
 */
final class RefusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private static final Pattern THROWN =
            Pattern.compile("(?m)^(?:[\\w.$]+(?:Exception|Error): )+(.*)$");

    RefusedException(RuntimeException cause) {
        super(cause.getMessage(), cause);
    }

    /** Whether a message of Spark is about a rank that threw this exception. */
    static boolean isIn(String message) {
        return message.contains(RefusedException.class.getName() + ": ");
    }

    /** The message of the rank's exception, extracted from Spark's message with its stack trace. */
    static String words(String message) {
        var thrown = THROWN.matcher(message);
        return thrown.find() ? thrown.group(1) : message;
    }
}
