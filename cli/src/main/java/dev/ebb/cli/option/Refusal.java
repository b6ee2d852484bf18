package dev.ebb.cli.option;

/** An error that the user can fix: the message says what is wrong and what would help. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Refusal(String message) {
        super(message);
    }

    public Refusal(String message, Throwable cause) {
        super(message, cause);
    }
}
