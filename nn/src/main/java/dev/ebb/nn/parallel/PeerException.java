package dev.ebb.nn.parallel;

/** A rank that did not answer in time, is gone, or runs another program; it is named. */
public final class PeerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public PeerException(String message) {
        super(message);
    }

    public PeerException(String message, Throwable cause) {
        super(message, cause);
    }
}
