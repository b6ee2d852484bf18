package dev.ebb.cli;

/** Something the user can mend: what is wrong and what would help, in one sentence. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
        super(message);
    }

    Refusal(String message, Throwable cause) {
        super(message, cause);
    }
}
