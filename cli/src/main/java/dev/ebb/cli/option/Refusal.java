package dev.ebb.cli.option;

/** Something the user can mend: what is wrong and what would help, in one sentence. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Refusal(String message) {
        super(message);
    }

    public Refusal(String message, Throwable cause) {
        super(message, cause);
    }
}
