package dev.ebb.cli.studio;

import java.io.Serial;

/** A request that is answered with an HTTP status and an error message. */
final class RequestError extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    private final int status;

    RequestError(int status, String why) {
        super(why);
        this.status = status;
    }

    static RequestError wrong(String why) {
        return new RequestError(400, why);
    }

    int status() {
        return status;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
