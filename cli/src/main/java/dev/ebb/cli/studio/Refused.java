package dev.ebb.cli.studio;

import java.io.Serial;

/** A request that is answered with an HTTP status and an error message. */
final class Refused extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    private final int status;

    Refused(int status, String why) {
        super(why);
        this.status = status;
    }

    static Refused wrong(String why) {
        return new Refused(400, why);
    }

    int status() {
        return status;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
