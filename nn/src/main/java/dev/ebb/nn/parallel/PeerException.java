package dev.ebb.nn.parallel;

/** A peer did not answer in time, is gone, or runs another program; the message names it. */
public final class PeerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public PeerException(String message) {
        super(message);
    }

    public PeerException(String message, Throwable cause) {
        super(message, cause);
    }
}
